/** Server-sent events (HTML standard) of a response, as far as the service uses them. */
export interface ServerEvent {
  event: string;
  data: string;
}

export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = blocks.pop() as string; // an event that has not arrived whole
      yield* blocks.map(parsed).filter(({ data }) => data);
    }
  } finally {
    await reader.cancel(); // a reader who stops ends the simulation
  }
}

function parsed(block: string): ServerEvent {
  const fields = block.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line) ?? ["", "", ""]);
  const all = (name: string): string[] => fields.filter((field) => field[1] === name).map((field) => field[2] as string);
  return { event: all("event")[0] ?? "message", data: all("data").join("\n") };
}
