import { writeFileSync } from 'node:fs';
import { commitOf } from '../../helpers/checkout-commit.ts';

/**
 * Writes the commit and time of a build, for GET /version, to a file for `node --env-file`:
 *
 *   node write-stamp.ts <directory with HEAD, packed-refs and refs/heads of the checkout> <file>
 *
 * BUILD_COMMIT takes precedence. The service reports "unknown" if no commit is found.
 */
const [git, target] = process.argv.slice(2);
if (git === undefined || target === undefined) {
  throw new Error('usage: write-stamp.ts <git directory> <file>');
}
const given = process.env['BUILD_COMMIT'] ?? '';
const commit = given === '' ? commitOf(git) : given;
// Without fractions of a second.
const time = new Date().toISOString().replace(/\.\d+/u, '');
const lines = [...(commit === undefined ? [] : [`BUILD_COMMIT=${commit}`]), `BUILD_TIME=${time}`];
writeFileSync(target, `${lines.join('\n')}\n`);
