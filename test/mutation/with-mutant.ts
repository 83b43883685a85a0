/**
 * Runs test files up to the first failing suite with a file of the product replaced. `MUTANT` names
 * a JSON file `{ path, text }`. Programs started by tests get the replacement, too.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const mutant: { path: string; text: string } = JSON.parse(
  readFileSync(process.env['MUTANT'] ?? '', 'utf8'),
);
const url = pathToFileURL(resolve(mutant.path)).href;
registerHooks({
  load: (requested, context, nextLoad) =>
    requested === url
      ? { format: 'module-typescript', source: mutant.text, shortCircuit: true }
      : nextLoad(requested, context),
});

const files = process.argv.slice(2);
if (files.length > 0 && process.env['MUTATION_CHILD'] === undefined) {
  process.env['MUTATION_CHILD'] = '1';
  // Works like uvu's own runner: each file defers its suites to a single run.
  const shared: Record<string, unknown> = globalThis;
  shared['UVU_DEFER'] = 1;
  const { exec } = await import('uvu');
  for (const [index, file] of files.entries()) {
    shared['UVU_INDEX'] = index;
    (shared['UVU_QUEUE'] as unknown[][])[index] = [file];
    process.argv[1] = resolve(file);
    await import(pathToFileURL(process.argv[1]).href);
    await setImmediate();
  }
  await exec(true);
  process.exit();
}
