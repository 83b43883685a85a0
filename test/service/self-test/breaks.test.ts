import { isSaid } from '../../support/is-said.ts';
import { assert, withFixture } from '../../support/suite.ts';
import { APPLIANCE_BREAKS } from './breaks/appliance.ts';
import { SCANNER_BREAKS } from './breaks/scanner.ts';
import { SYSTEM_BREAKS } from './breaks/system.ts';
import {
  createLookers,
  createSelfTestBench,
  problemsIn,
  type SelfTestBench,
} from './self-test-bench.ts';

const lookers = createLookers();
const test = withFixture<SelfTestBench>('the self-test of a broken appliance', () =>
  createSelfTestBench(lookers),
);
test.after(lookers.close);

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
    // No other part is blamed.
    assert.ok(isSaid(String(said), problems), problems);
    const found = checks.find(({ status }) => status === 'fail' || status === 'warn');
    if (!follow || !found) return;
    await follow(found);
    assert.is(problemsIn(await bench.look()), '', 'the remedy mends it');
  });
}
