import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Returns V8's garbage collection as a function. Unlike a normal collection, it also releases free
 * heap pages: otherwise a busy program can hold 150 MB of heap with 20 MB in use.
 */
export function garbageCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (how: { type: 'major'; flavor: 'last-resort' }) => void;
  return () => collect({ type: 'major', flavor: 'last-resort' });
}

/** Bytes that this process holds after a full collection. */
export function heldBytes(): number {
  const collect = garbageCollection();
  // The second round frees the buffers that the first one released.
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
