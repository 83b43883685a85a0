import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { suite as suiteOfUvu, type Test } from 'uvu';
import { temporaryDirectory } from './temporary-directory.ts';

export * as assert from 'uvu/assert';
export type { Test } from 'uvu';
export { failure, rejection, thrown } from './rejection.ts';
export { temporaryDirectory, type TemporaryDirectory } from './temporary-directory.ts';
export { EVENT_MS, until, within } from './within.ts';

/** A suite that runs once its test file has been loaded completely. */
export function suite<T>(title: string): Test<T> {
  const tests = suiteOfUvu<T>(title);
  const read = import(pathToFileURL(process.argv[1] ?? '').href);
  // If loading fails, Node ends the process and reports why.
  void read.then(
    () => tests.run(),
    () => {},
  );
  return tests;
}

export interface Fixture {
  readonly close: () => Promise<unknown>;
}

export interface FixtureTest<F> {
  (title: string, body: (fixture: F) => void | Promise<void>): void;
  readonly after: (what: () => Promise<void>) => void;
}

/**
 * A suite whose tests each get a fixture. `create` receives a directory that is removed afterwards.
 * Errors in `create` and `close` fail the test. In a uvu hook, an error would make uvu drop the
 * failures of the whole suite.
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
          // The test has failed already, so an error of `close` is only printed.
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
  readonly file: (name: string) => string;
}

/** Like `withFixture`, with an empty directory, which `fill` may populate. */
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
