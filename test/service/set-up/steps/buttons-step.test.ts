import type { Profile } from '../../../../service/profiles/profile.ts';
import { createButtonsStep } from '../../../../service/set-up/steps/buttons-step.ts';
import { testProfile } from '../../../support/test-profile.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { stepBench } from './step-bench.ts';

const PROFILES: readonly Profile[] = [
  testProfile({ name: 'default', source: 'ADF', label: 'Letters' }),
  testProfile({ name: 'duplex', sides: 'both' }),
  testProfile({ name: 'flatbed', source: 'Flatbed' }),
  testProfile({ name: 'own' }),
];

const test = withFixture('the step that hides shipped profiles', async (directory) => {
  const bench = await stepBench(directory);
  const { files, settings } = bench;
  const profiles = {
    list: () => PROFILES,
    isShipped: (name: string) => ['default', 'duplex', 'flatbed'].includes(name),
  };
  return { ...bench, step: createButtonsStep({ files, settings, profiles }) };
});

test('the step hides and shows buttons, and reports which the scanner can do', async ({
  step,
  settings,
}) => {
  const unknown = await step(['flatbed', 'flatbed']);
  assert.equal(settings.current().hidden_profiles, ['flatbed']);
  assert.equal(unknown, [
    { name: 'default', label: 'Letters', kind: 'feeder', fits: null, shown: true },
    { name: 'duplex', label: null, kind: 'both_sides', fits: null, shown: true },
    { name: 'flatbed', label: null, kind: 'glass', fits: null, shown: false },
  ]);
  await settings.change({ scanner: { device: 'a', name: 'a', kinds: ['feeder', 'glass'] } });
  const known = await step([]);
  assert.equal(
    known.map(({ fits, shown }) => [fits, shown]),
    [
      [true, true],
      [false, true],
      [true, true],
    ],
  );
});

for (const name of ['default', 'own', 'missing', '../a']) {
  test(`refuses to hide ${name}`, async ({ step, settings }) => {
    await failure('invalid_body', step(['duplex', name]));
    assert.equal(settings.current(), {});
  });
}
