import path from 'node:path';
import type { Test } from 'uvu';
import { temporaryDirectory } from './temporary-directory.ts';

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

export interface InDirectory extends Fixture {
  readonly directory: string;
  /** The path of a file in it. */
  readonly file: (name: string) => string;
}

/** Gives each test of a suite an empty directory of its own, which `fill` may put something into. */
export function inDirectory(
  tests: Test,
  fill: (fixture: InDirectory) => Promise<unknown> = () => Promise.resolve(),
): FixtureTest<InDirectory> {
  return withFixture(tests, async () => {
    const { path: directory, remove: close } = await temporaryDirectory();
    const fixture = { directory, file: (name: string) => path.join(directory, name), close };
    await fill(fixture);
    return fixture;
  });
}
