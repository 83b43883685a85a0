/**
 * A preload module: on SIGUSR2, collects garbage and logs it, so that all remaining memory is in
 * use.
 */
import { garbageCollection } from '../../support/held-bytes.ts';

const collect = garbageCollection();

process.on('SIGUSR2', () => {
  collect();
  process.stdout.write('{"event":"collected"}\n');
});
