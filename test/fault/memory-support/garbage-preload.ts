/** Loaded into a program under test: at SIGUSR2 it collects its garbage and says so, so that what is left is what it keeps. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

process.on('SIGUSR2', () => {
  if (typeof collect === 'function') collect();
  process.stdout.write('{"event":"collected"}\n');
});
