/**
 * Gives the memory of a buffer back at once. V8 would do it when it next collects young objects, and until then some 30 MB
 * of buffers that nobody needs lie about: it does not count them as its own. Nothing may use the buffer any more, no read
 * or write that is under way either. A part of a larger buffer is left alone.
 */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0);
}
