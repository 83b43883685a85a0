import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import type { RunningScan } from '../../../../helpers/ipc/messages.ts';
import type { Profile } from '../../../../service/profiles/profile.ts';
import {
  preflight,
  preflightOfProcessing,
  type PreflightParts,
} from '../../../../service/scan/call/preflight.ts';
import { failure, rejection } from '../../../support/rejection.ts';
import { playedParts } from '../../../support/scan-parts.ts';
import {
  temporaryDirectory,
  type TemporaryDirectory,
} from '../../../support/temporary-directory.ts';
import { testProfile } from '../../../support/test-app.ts';

const test = suite<{ directory: TemporaryDirectory }>('what is checked before a sheet moves');

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
});

test.after.each(({ directory }) => directory.remove());

const never = new AbortController().signal;

interface Faults {
  readonly scanner?: Error;
  readonly scanning?: RunningScan[];
  readonly processor?: Error;
  readonly languages?: string[];
}

function parts({ scanner, scanning = [], processor, languages }: Faults): PreflightParts {
  const played = playedParts({
    scanning: () => scanning,
    processorHealth: () => (processor ? Promise.reject(processor) : Promise.resolve()),
  });
  const processorOf = { ...played.processor };
  return {
    scanner: {
      ...played.scanner,
      health: () => (scanner ? Promise.reject(scanner) : Promise.resolve()),
    },
    processor: {
      ...played.processor,
      health: async (signal) => ({
        ...(await processorOf.health(signal)),
        ...(languages && { languages }),
      }),
    },
  };
}

function profileIn(directory: string, fields: object = {}): Profile {
  return testProfile({ name: 'a', paths: { output_dir: directory }, ...fields });
}

test('makes the output directory and returns how many workers there are', async ({ directory }) => {
  const root = path.join(directory.path, 'new/scans');
  assert.equal(await preflight(profileIn(root), parts({}), never), { workers: 2 });
});

test('passes on what the parts say of themselves, the scanner runtime first', async ({
  directory,
}) => {
  const scanner = new Failure('scanner_runtime_unreachable', 'No runtime.');
  const processor = new Failure('processor_unreachable', 'No processor.');
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
  assert.match(runtime.message, /within 3 s\. Nothing was fed\. See its log/);
  await failure('processor_unreachable', preflight(profile, parts({ processor: late }), never));
});

test('a language that the processor lost is reported before a sheet moves', async ({
  directory,
}) => {
  const missing = preflight(profileIn(directory.path), parts({ languages: ['deu'] }), never);
  const error = await failure('processing_failed', missing);
  assert.match(error.message, /cannot read eng, which profile "a" names.*among deu/);
  assert.equal(error.facts, { missing_languages: ['eng'] });
});

test('a directory that cannot be made or used is reported', async () => {
  const refused = preflight(profileIn('/proc/x'), parts({}), never);
  const error = await failure('insufficient_storage', refused);
  assert.match(error.message, /cannot write to \/proc\/x \(ENOENT\)\. Nothing was fed\./);
});

const BUSY = { directory: '/scans/20261121T063000Z-8f3a1c', asked: 'auto', device: 'fujitsu:1' };

for (const device of ['auto', 'fujitsu:1']) {
  test(`a scanner that feeds another scan is busy, asked for as ${device}`, async ({
    directory,
  }) => {
    const profile = profileIn(directory.path, { device });
    const error = await failure(
      'scanner_busy',
      preflight(profile, parts({ scanning: [BUSY] }), never),
    );
    assert.equal(error.facts, { busy_with: '20261121T063000Z-8f3a1c' });
  });
}

test('another scanner is free, also while the name of one that is in use is not known yet', async ({
  directory,
}) => {
  const profile = profileIn(directory.path, { device: 'epson:2' });
  for (const device of ['fujitsu:1', null]) {
    await preflight(profile, parts({ scanning: [{ ...BUSY, device }] }), never);
  }
});

test('pages that are on disk need no scanner, and no room is made for them', async ({
  directory,
}) => {
  const scanner = new Failure('scanner_runtime_unreachable', 'No runtime.');
  const profile = profileIn(directory.path);
  const { workers } = await preflightOfProcessing(profile, parts({ scanner }), never);
  assert.is(workers, 2);
  await rejection(preflightOfProcessing(profileIn('/nonexistent'), parts({}), never));
});

test.run();
