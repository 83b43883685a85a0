import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Keeps this process small from now on; to be called once, when everything is loaded. These settings of V8 cannot be given
 * on the command line: there they make it throw away the code that Node brings compiled, which takes 5 MB.
 */
export function keepMemorySmall(): void {
  // Collects old objects before many have gathered: what a scan leaves behind is gone at the next one.
  setFlagsFromString('--memory-saver-mode');
  // The space of young objects does not grow while a document passes, also where the command line does not say so.
  setFlagsFromString('--semi-space-growth-factor=1');
  // Collects it when a fifth is used, not four fifths: each piece that comes from a socket is some objects of it and 64 KB
  // beside it, which V8 does not count. Few objects are alive then, so that it takes no measurable time.
  setFlagsFromString('--minor-gc-task-trigger=20');
  collectGarbage();
}

/** Lets go of what only the start needed. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
}
