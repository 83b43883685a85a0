import type { StepParts } from '../../service/http/routes/set-up-steps.ts';

/** Steps of the set-up that refuse every call, except those in `given`. */
export function fakeSteps(given: Partial<StepParts> = {}): StepParts {
  const refuse = (): never => {
    throw new Error('not expected in this test');
  };
  return {
    answers: refuse,
    selfTest: refuse,
    scanners: refuse,
    setScanner: refuse,
    setDestination: refuse,
    setLanguages: refuse,
    setButtons: refuse,
    setHouse: refuse,
    finish: refuse,
    profileForms: { list: refuse, get: refuse, put: refuse, remove: refuse },
    ...given,
  };
}
