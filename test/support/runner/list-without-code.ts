/**
 * Prints, as a JSON list, those of the TypeScript files given in which nothing is left to run once the types are stripped:
 * interfaces, types, declarations. They are never loaded, so coverage would count each of their lines as one that no test
 * reached.
 */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

const COMMENTS = /\/\*[^]*?\*\/|\/\/.*$/gm;

/** What stripping leaves of a file that has only types: that it is a module. */
const EMPTY_EXPORT = /^export\s*\{\s*\};?$/;

const files = process.argv.slice(2).filter((file) => file.endsWith('.d.ts') || isEmpty(file));
process.stdout.write(JSON.stringify(files));

function isEmpty(file: string): boolean {
  const code = stripTypeScriptTypes(readFileSync(file, 'utf8')).replaceAll(COMMENTS, '').trim();
  return code === '' || EMPTY_EXPORT.test(code);
}
