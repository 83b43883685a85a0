/** @typedef {{ id: string, event: string, data: string }} StreamEvent */

/**
 * Parses a `text/event-stream` (HTML standard) in chunks. Ignores `retry`.
 * @param {(event: StreamEvent) => void} onEvent
 * @returns {(piece: string) => void}
 */
export function createEventParser(onEvent) {
  let rest = '';
  let id = '';
  let event = '';
  let data = /** @type {string[]} */ ([]);

  /** @param {string} line */
  function take(line) {
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (line === '') {
      if (data.length > 0) onEvent({ id, event: event || 'message', data: data.join('\n') });
      event = '';
      data = [];
    } else if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
  }

  return (piece) => {
    /* A carriage return at the end may be half of a CR LF. */
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    lines.forEach(take);
  };
}

/**
 * Yields the events of a response body. Throws if the connection breaks, or if nothing arrives for
 * `silentMs`. The service sends a comment at least every 15 seconds.
 * @param {ReadableStream<Uint8Array>} body
 * @param {number} silentMs
 * @returns {AsyncGenerator<StreamEvent, void>}
 */
export async function* readEvents(body, silentMs) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const arrived = /** @type {StreamEvent[]} */ ([]);
  const parse = createEventParser((event) => arrived.push(event));
  try {
    for (;;) {
      const { done, value } = await within(silentMs, reader.read());
      if (done) return;
      parse(decoder.decode(value, { stream: true }));
      yield* arrived.splice(0);
    }
  } finally {
    /* Closes the connection, even if the reader stops early. */
    reader.cancel().catch(() => {});
  }
}

/**
 * Rejects if `promise` takes longer than `ms`.
 * @template T
 * @param {number} ms
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
export async function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing arrived for ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
