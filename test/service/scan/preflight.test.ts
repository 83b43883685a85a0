import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import type { Profile } from '../../../service/profiles/profile.ts';
import { preflight, type PreflightParts } from '../../../service/scan/preflight.ts';
import { failure } from '../../support/rejection.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';
import { testProfile } from '../../support/test-app.ts';

const test = suite<{ directory: TemporaryDirectory }>('what is checked before a sheet moves');

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
});

test.after.each(({ directory }) => directory.remove());

const never = new AbortController().signal;

function parts(faults: {
  scanner?: Error;
  processor?: Error;
  languages?: string[];
}): PreflightParts {
  const refuse = (): never => {
    throw new Error('not expected');
  };
  return {
    scanner: {
      health: () => (faults.scanner ? Promise.reject(faults.scanner) : Promise.resolve()),
      scanning: refuse,
      listDevices: refuse,
      describeDevice: refuse,
      scan: refuse,
      close: refuse,
    },
    processor: {
      health: () =>
        faults.processor
          ? Promise.reject(faults.processor)
          : Promise.resolve({
              status: 'ok',
              workers: 2,
              languages: faults.languages ?? ['eng'],
              versions: { ocrmypdf: '1', tesseract: '1', ghostscript: '1', python: '1' },
            }),
      recognizePage: refuse,
      assembleDocument: refuse,
    },
  };
}

function profileIn(directory: string): Profile {
  return testProfile({ name: 'a', paths: { output_dir: directory } });
}

test('makes the scan directory root and tells how many workers there are', async ({
  directory,
}) => {
  const root = path.join(directory.path, 'new/scans');
  assert.equal(await preflight(profileIn(root), parts({}), never), { workers: 2 });
});

test('passes on what the parts say of themselves, the scanner runtime first', async ({
  directory,
}) => {
  const scanner = new Failure('scanner_runtime_unreachable', 'no runtime');
  const processor = new Failure('processor_unreachable', 'no processor');
  const profile = profileIn(directory.path);
  await failure(
    'scanner_runtime_unreachable',
    preflight(profile, parts({ scanner, processor }), never),
  );
  await failure('processor_unreachable', preflight(profile, parts({ processor }), never));
});

test('a part that does not answer in time is unreachable', async ({ directory }) => {
  const late = new DOMException('late', 'TimeoutError');
  const profile = profileIn(directory.path);
  const runtime = await failure(
    'scanner_runtime_unreachable',
    preflight(profile, parts({ scanner: late }), never),
  );
  assert.match(runtime.message, /within 3 seconds.*nothing was fed/);
  await failure('processor_unreachable', preflight(profile, parts({ processor: late }), never));
});

test('a language that the processor lost is told before a sheet moves', async ({ directory }) => {
  const missing = preflight(profileIn(directory.path), parts({ languages: ['deu'] }), never);
  const error = await failure('processing_failed', missing);
  assert.match(error.message, /lacks the language eng.*it has deu/);
  assert.equal(error.facts, { missing_languages: ['eng'] });
});

test('a directory that cannot be made or used is told', async ({ directory }) => {
  const error = await failure(
    'insufficient_storage',
    preflight(profileIn('/proc/x'), parts({}), never),
  );
  assert.match(error.message, /\/proc\/x cannot be written to/);
  await chmod(directory.path, 0o700);
});

test.run();
