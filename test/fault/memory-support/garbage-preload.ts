/** Preloaded: collects garbage on SIGUSR2 and logs it, so that the remaining memory is in use. */
import { garbageCollection } from '../../support/held-bytes.ts';

const collect = garbageCollection();

process.on('SIGUSR2', () => {
  collect();
  process.stdout.write('{"event":"collected"}\n');
});
