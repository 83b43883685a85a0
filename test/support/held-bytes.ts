import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's garbage collection, which this process can then start by itself. */
export function garbageCollection(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** Bytes that this process holds; what could be collected says nothing about what is needed. */
export function heldBytes(): number {
  const collect = garbageCollection();
  // Buffers of the first round are given back by the second one.
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
