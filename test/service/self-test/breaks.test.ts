import { matchesPattern } from '../../support/matches-pattern.ts';
import { assert, withFixture } from '../../support/suite.ts';
import { APPLIANCE_BREAKS } from './breaks/appliance.ts';
import { SCANNER_BREAKS } from './breaks/scanner.ts';
import { SYSTEM_BREAKS } from './breaks/system.ts';
import {
  createSelfTestProcesses,
  createSelfTestBench,
  problemsIn,
  type SelfTestBench,
} from './self-test-bench.ts';

const processes = createSelfTestProcesses();
const test = withFixture<SelfTestBench>('the self-test of a broken appliance', () =>
  createSelfTestBench(processes),
);
test.after(processes.close);

test('a healthy appliance: no problems', async ({ look }) => {
  assert.is(problemsIn(await look()), '');
});

const BREAKS = { ...APPLIANCE_BREAKS, ...SCANNER_BREAKS, ...SYSTEM_BREAKS };

for (const [title, breakIt] of Object.entries(BREAKS)) {
  const [, what, said] = /^(.*?): ((?:fail|warn) .*)$/u.exec(title) ?? [];
  test(`${what}: ${said}`, async (bench) => {
    const follow = await breakIt(bench);
    const checks = await bench.look();
    const problems = problemsIn(checks);
    assert.ok(matchesPattern(String(said), problems), problems);
    const found = checks.find(({ status }) => status === 'fail' || status === 'warn');
    if (!follow || !found) return;
    await follow(found);
    assert.is(problemsIn(await bench.look()), '', 'the remedy mends it');
  });
}
