import { assert, withFixture } from '../../support/suite.ts';
import { APPLIANCE_BREAKS } from './breaks/appliance.ts';
import { SCANNER_BREAKS } from './breaks/scanner.ts';
import { SYSTEM_BREAKS } from './breaks/system.ts';
import { createSelfTestBench, problemsIn, saidBy, type SelfTestBench } from './self-test-bench.ts';

const test = withFixture<SelfTestBench>('what the self-test says of what is broken', () =>
  createSelfTestBench(),
);

test('nothing of a healthy appliance', async ({ look }) => {
  assert.is(problemsIn(await look()), '');
});

for (const { what, check, says, break: breakIt } of [
  ...APPLIANCE_BREAKS,
  ...SCANNER_BREAKS,
  ...SYSTEM_BREAKS,
]) {
  test(`${what}: ${check}`, async (bench) => {
    const follow = await breakIt(bench);
    const checks = await bench.look();
    const wrong = checks.filter(({ status }) => status === 'fail' || status === 'warn');
    // No other part is blamed.
    assert.equal(
      wrong.map(({ status, id }) => `${status} ${id}`),
      [check],
      problemsIn(checks),
    );
    const [found] = wrong;
    if (!found) return;
    assert.match(saidBy(found), says, saidBy(found));
    if (!follow) return;
    await follow(found);
    assert.is(problemsIn(await bench.look()), '', 'the remedy mends it');
  });
}
