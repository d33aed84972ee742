import { Refused } from "./refused.js";

export interface RetryOptions {
  /** How often to send at most. Default 4. */
  attempts?: number;
  /** Milliseconds before the second attempt; twice as many before each further one. Default 500. */
  delay?: number;
  signal?: AbortSignal | undefined;
}

const TRANSIENT = [408, 429, 502, 503, 504];

/** Ask again after a broken connection, a timeout, or a service that is too busy. `send` must ask the same each time: see `Tablecall.retry`. */
export async function again<T>(send: () => Promise<T>, { attempts = 4, delay = 500, signal }: RetryOptions = {}): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= attempts || signal?.aborted || !isTransient(error)) throw error;
      const asked = error instanceof Refused && error.retryAfter !== null ? error.retryAfter * 1000 : 0;
      await pause(Math.max(asked, delay * 2 ** (attempt - 1)), signal);
    }
  }
}

/** `fetch` throws a TypeError if the connection fails, and a TimeoutError if it takes too long. */
function isTransient(error: unknown): boolean {
  if (error instanceof Refused) return TRANSIENT.includes(error.status);
  return error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError");
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
