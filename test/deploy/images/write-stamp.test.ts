import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment, runProgram } from '../../../helpers/child-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../../../deploy/images/write-stamp.ts');
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const OTHER = 'fedcba9876543210fedcba9876543210fedcba98';

/** What the script writes for a git directory with these files. */
async function stampOf(
  files: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
): Promise<Map<string, string>> {
  const temporary = await temporaryDirectory();
  try {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(temporary.path, 'git', name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    const target = path.join(temporary.path, 'build.env');
    const args = [SCRIPT, path.join(temporary.path, 'git'), target];
    const program = { file: process.execPath, args, cwd: '/', env: programEnvironment(variables) };
    const { exitCode, stderr } = await runProgram(program, { timeoutMs: 60_000 });
    assert.is(exitCode, 0, stderr);
    const lines = (await readFile(target, 'utf8')).trimEnd().split('\n');
    return new Map(lines.map((line) => line.split('=') as [string, string]));
  } finally {
    await temporary.remove();
  }
}

const test = suite('write-stamp');

const PACKED = `# pack-refs with: peeled\n${OTHER} refs/heads/not-main\n${COMMIT} refs/heads/main\n`;

/** Files of a git directory, variables, and the commit. */
const COMMITS: Readonly<
  Record<string, readonly [files: Record<string, string>, commit?: string, given?: string]>
> = {
  'of a branch, before what git has packed': [
    {
      HEAD: 'ref: refs/heads/feature/one\n',
      'refs/heads/feature/one': `${COMMIT}\n`,
      'packed-refs': `${OTHER} refs/heads/feature/one\n`,
    },
    COMMIT,
  ],
  'of a branch that git has packed': [
    { HEAD: 'ref: refs/heads/main\n', 'packed-refs': PACKED },
    COMMIT,
  ],
  'of a detached HEAD': [{ HEAD: `${COMMIT}\n` }, COMMIT],
  'that is given, before all others': [{ HEAD: `${COMMIT}\n` }, OTHER, OTHER],
  'left out, where there is no git directory': [{}],
  'left out, where the branch has none yet': [{ HEAD: 'ref: refs/heads/main\n' }],
};

for (const [what, [files, commit, given]] of Object.entries(COMMITS)) {
  test(`writes the commit ${what}`, async () => {
    const stamp = await stampOf(files, given === undefined ? {} : { BUILD_COMMIT: given });
    assert.equal(
      [...stamp.keys()].toSorted(),
      commit === undefined ? ['BUILD_TIME'] : ['BUILD_COMMIT', 'BUILD_TIME'],
    );
    assert.is(stamp.get('BUILD_COMMIT'), commit);
  });
}

test('tells when, in UTC and to the second', async () => {
  const time = (await stampOf({})).get('BUILD_TIME') ?? '';
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
});

test.run();
