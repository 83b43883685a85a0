import { parse, type Token } from 'acorn';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withoutNotes } from '../../../service/http/page-files.ts';

const test = suite('a module without its notes');

const PAGE = path.resolve(import.meta.dirname, '../../../service/page');

/** The tokens of a module, and whether each begins a line. */
function tokensOf(code: string): [string, boolean][] {
  const tokens: Token[] = [];
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens });
  return tokens.map(({ start, end }, index) => [
    code.slice(start, end),
    code.slice(tokens[index - 1]?.end ?? 0, start).includes('\n'),
  ]);
}

test('has the same tokens on the same lines, for every module of the page', async () => {
  let count = 0;
  for await (const name of glob('**/*.js', { cwd: PAGE })) {
    const code = await readFile(path.join(PAGE, name), 'utf8');
    const kept = withoutNotes(code);
    assert.equal(tokensOf(kept).slice(1), tokensOf(code).slice(1), name);
    assert.not.match(kept, /@param|^ /m, name);
    count += 1;
  }
  assert.ok(count > 20);
});

test('keeps what only looks like a note, or ends a line in one', () => {
  const code =
    'const a = `/* no\n  note */`; /* a note */ const b = /\\/\\*x/;\nlet c = 1 /*\n*/ ++a';
  assert.is(
    withoutNotes(code),
    'const a = `/* no\n  note */`; const b = /\\/\\*x/;\nlet c = 1\n++a\n',
  );
  assert.throws(() => withoutNotes('const'), /SyntaxError|Unexpected/);
});

test.run();
