// A link holds what was asked, compressed; links of older versions are still read.

import type { Doc } from "./documents.ts";

export interface Shared {
  verb: "resolve" | "odds";
  request: Doc;
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const result = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, BufferSource>);
  return new Uint8Array(await new Response(result as ReadableStream).arrayBuffer());
}

export async function linkOf({ verb, request }: Shared): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(request)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return `${new URL("./", location.href)}#${verb === "odds" ? "o" : "r"}=${text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** What a fragment holds, or nothing if it holds no request. Throws if it cannot be read. */
export async function read(fragment: string): Promise<Shared | null> {
  const text = fragment.replace(/^#/, "");
  const packed = text.match(/^([ro])=([\w-]+)$/);
  if (packed) {
    const bytes = Uint8Array.from(atob(packed[2].replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const request = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
    return { verb: packed[1] === "o" ? "odds" : "resolve", request };
  }
  const plain = text.match(/^(?:(resolve|odds):)?(%7B.*|\{.*)$/i);
  if (!plain) return null;
  return { verb: (plain[1] as Shared["verb"]) ?? "resolve", request: JSON.parse(decodeURIComponent(plain[2])) };
}
