import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { suite as suiteOfUvu, type Test } from 'uvu';
import { temporaryDirectory } from './temporary-directory.ts';

/** What nearly every test says. */
export * as assert from 'uvu/assert';
export type { Test } from 'uvu';
export { failure, rejection, thrown } from './rejection.ts';
export { temporaryDirectory, type TemporaryDirectory } from './temporary-directory.ts';
export { EVENT_MS, until, within } from './within.ts';

/** Makes a suite, which runs once the test file, the program of this process, has been read to its end. */
export function suite<T>(title: string): Test<T> {
  const tests = suiteOfUvu<T>(title);
  const read = import(pathToFileURL(process.argv[1] ?? '').href);
  // A file that throws ends the process, and Node says why.
  void read.then(
    () => tests.run(),
    () => {},
  );
  return tests;
}

/** What a test stands on; closed when the test has ended, however it ended. */
export interface Fixture {
  readonly close: () => Promise<unknown>;
}

export interface FixtureTest<F> {
  (title: string, body: (fixture: F) => void | Promise<void>): void;
  /** Does something when all tests of the suite have ended. */
  readonly after: (what: () => Promise<void>) => void;
}

/**
 * Makes a suite that gives each test a fixture of its own; `create` is given an empty directory, which is removed after the
 * test. Not by hooks of uvu: when one throws, uvu drops the failures of the whole suite, and a check that is made there can
 * never fail. What `create` or `close` throws here fails the test.
 */
export function withFixture<F extends object>(
  title: string,
  create: (directory: string) => Promise<F & Partial<Fixture>>,
): FixtureTest<F> {
  const tests = suite(title);
  const test = (name: string, body: (fixture: F) => void | Promise<void>): void =>
    tests(name, async () => {
      const directory = await temporaryDirectory();
      try {
        const fixture = await create(directory.path);
        try {
          await body(fixture);
        } catch (error) {
          // What closing finds then is what the test has left: the cause comes first.
          const left = await Promise.resolve(fixture.close?.()).then(() => '', inspect);
          process.stderr.write(left);
          throw error;
        }
        await fixture.close?.();
      } finally {
        await directory.remove();
      }
    });
  return Object.assign(test, { after: (what: () => Promise<void>) => tests.after(what) });
}

export interface InDirectory {
  readonly directory: string;
  /** The path of a file in it. */
  readonly file: (name: string) => string;
}

/** Likewise, with an empty directory, which `fill` may put something into. */
export function inDirectory(
  title: string,
  fill: (fixture: InDirectory) => Promise<unknown> = () => Promise.resolve(),
): FixtureTest<InDirectory> {
  return withFixture(title, async (directory) => {
    const fixture = { directory, file: (name: string) => path.join(directory, name) };
    await fill(fixture);
    return fixture;
  });
}
