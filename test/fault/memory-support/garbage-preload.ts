/**
 * Preloaded into a program: on SIGUSR2 it collects garbage and logs it, so that the remaining
 * memory is in use.
 */
import { garbageCollection } from '../../support/held-bytes.ts';

const collect = garbageCollection();

process.on('SIGUSR2', () => {
  collect();
  process.stdout.write('{"event":"collected"}\n');
});
