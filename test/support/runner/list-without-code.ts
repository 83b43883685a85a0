/**
 * Prints as JSON which of the given files contain only types. They are never loaded, so coverage
 * would count every line as missed.
 */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

const COMMENTS = /\/\*[^]*?\*\/|\/\/.*$/gm;

const EMPTY_EXPORT = /^export\s*\{\s*\};?$/;

const files = process.argv.slice(2).filter((file) => file.endsWith('.d.ts') || isEmpty(file));
process.stdout.write(JSON.stringify(files));

function isEmpty(file: string): boolean {
  const code = stripTypeScriptTypes(readFileSync(file, 'utf8')).replaceAll(COMMENTS, '').trim();
  return code === '' || EMPTY_EXPORT.test(code);
}
