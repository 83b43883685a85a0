import { join } from 'node:path';
import { runScript } from '../support/programs.ts';
import { assert, inDirectory } from '../support/suite.ts';

const test = inDirectory('the command lines');

const PROGRAMS = [
  'deploy/demo/main.ts',
  'deploy/prune/main.ts',
  'deploy/separator-sheets/main.ts',
  'deploy/setup/main.ts',
  'deploy/setup/operator-password.ts',
  'deploy/terminal/doctor.ts',
  'deploy/terminal/main.ts',
];

for (const program of PROGRAMS) {
  test(`${program} names a wrong option, shows its usage and exits with 2`, async () => {
    const { exitCode, stdout, stderr } = await runScript(program, ['--bogus']);
    assert.is(exitCode, 2, stderr);
    assert.is(stdout, '');
    assert.match(stderr, /^Unknown option '--bogus'\.\n\n/mu);
    assert.match(stderr, /npm run [a-z-]+ -- /u);
    assert.not.match(stderr, /positional argument|^ +at /mu);
  });
}

test('prune reports that nothing was ever scanned', async ({ file }) => {
  const missing = join(file('scans'), 'none');
  const { exitCode, stdout, stderr } = await runScript('deploy/prune/main.ts', [], {
    OUTPUT_DIR: missing,
  });
  assert.is(exitCode, 0, stderr);
  assert.is(stdout, `${missing} does not exist, so there is nothing to remove.`);
});

test('prune does not offer --delete if no scan can be removed', async ({ directory }) => {
  const { stdout } = await runScript('deploy/prune/main.ts', ['--dir', directory]);
  assert.is(stdout, `${directory}:\n  No scan can be removed.`);
});
