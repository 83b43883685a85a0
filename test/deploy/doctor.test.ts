import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { runScript } from '../support/programs.ts';
import type { CheckResult } from '../../service/self-test/check.ts';
import { verdictOf } from '../../service/self-test/check.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite('the exit code of the doctor');

for (const [found, code, said] of [
  ['ok', 0, 'No problem found: 1 ok.'],
  ['skipped', 0, 'No problem found: 1 skipped.'],
  ['warn', 4, 'Nothing failed, but see the warnings: 1 warn.'],
  ['unknown', 4, 'No problem found in what could be checked, but not all could be: 1 unknown.'],
  ['fail', 1, 'There are problems: 1 fail.'],
] as const) {
  test(`is ${code} for a check that is ${found}`, async () => {
    const check: CheckResult = {
      id: 'scanner',
      subject: 'auto',
      status: found,
      found: null,
      expected: null,
      message: 'What there is.',
      remedy: null,
    };
    const answer = { status: verdictOf([check]), checks: [check] };
    const server = createServer((_, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const url = `http://127.0.0.1:${port}`;
      const { exitCode, stdout } = await runScript('deploy/terminal/doctor.ts', ['--url', url]);
      assert.ok(stdout.includes(said), stdout);
      assert.is(exitCode, code);
    } finally {
      server.close();
    }
  });
}
