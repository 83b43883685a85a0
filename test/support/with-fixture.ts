import type { Test } from 'uvu';

/** What a test stands on; closed when the test has ended, however it ended. */
export interface Fixture {
  readonly close: () => Promise<void>;
}

export type FixtureTest<F extends Fixture> = ((
  title: string,
  body: (fixture: F) => void | Promise<void>,
) => void) & { readonly run: () => void };

/**
 * Gives each test of a suite a fixture of its own. Not by hooks of uvu: when one throws, uvu drops the failures of the
 * whole suite, and a check that is made there can never fail. What `create` or `close` throws here fails the test.
 */
export function withFixture<F extends Fixture>(
  tests: Test,
  create: () => Promise<F>,
): FixtureTest<F> {
  const test = (title: string, body: (fixture: F) => void | Promise<void>): void => {
    tests(title, async () => {
      const fixture = await create();
      try {
        await body(fixture);
      } finally {
        await fixture.close();
      }
    });
  };
  return Object.assign(test, { run: () => tests.run() });
}
