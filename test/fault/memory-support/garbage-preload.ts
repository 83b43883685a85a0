/** Loaded into a program under test: at SIGUSR2 it collects its garbage and says so, so that what is left is what it keeps. */
import { garbageCollection } from '../../support/held-bytes.ts';

const collect = garbageCollection();

process.on('SIGUSR2', () => {
  collect();
  process.stdout.write('{"event":"collected"}\n');
});
