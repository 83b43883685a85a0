import { Failure, type FailureCode } from '../../../../helpers/failure.ts';
import type { RunningScan } from '../../../../helpers/ipc/messages.ts';
import type { Profile } from '../../../../service/profiles/profile.ts';
import {
  preflight,
  preflightOfProcessing,
  type PreflightParts,
} from '../../../../service/scan/call/preflight.ts';
import { playedParts } from '../../../support/scan-parts.ts';
import { testProfile } from '../../../support/test-app.ts';
import { assert, failure, inDirectory, rejection } from '../../../support/suite.ts';

const test = inDirectory('what is checked before a sheet moves');

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
  return {
    scanner: {
      ...played.scanner,
      health: () => (scanner ? Promise.reject(scanner) : Promise.resolve()),
    },
    processor: {
      health: async (signal) => {
        const health = await played.processor.health(signal);
        return { ...health, ...(languages && { languages }) };
      },
    },
  };
}

function profileIn(output_dir: string, fields: object = {}): Profile {
  return testProfile({ name: 'a', paths: { output_dir }, ...fields });
}

const noRuntime = new Failure('scanner_runtime_unreachable', 'No runtime.');
const noProcessor = new Failure('processor_unreachable', 'No processor.');
const late = new DOMException('late', 'TimeoutError');
const busy = { directory: '/scans/20261121T063000Z-8f3a1c', asked: 'auto', device: 'fujitsu:1' };

for (const [what, faults, fields, code, message, facts] of [
  ['a runtime', { scanner: noRuntime, processor: noProcessor }, {}, noRuntime.code, 'No runtime.'],
  ['a processor', { processor: noProcessor }, {}, noProcessor.code, 'No processor.'],
  ['a runtime in time', { scanner: late }, {}, noRuntime.code, /runtime did not .* within 3 s\./],
  ['a processor in time', { processor: late }, {}, noProcessor.code, /did not .* within 3 s\./],
  [
    'a language',
    { languages: ['deu'] },
    {},
    'processing_failed',
    /cannot read eng, which profile "a" names\./,
    { missing_languages: ['eng'] },
  ],
  [
    'a directory that can be made',
    {},
    { paths: { output_dir: '/proc/x' } },
    'insufficient_storage',
    /cannot write to \/proc\/x \(ENOENT\)\./,
  ],
  ...['auto', 'fujitsu:1'].map(
    (device) =>
      [
        `a scanner that is free, asked for as ${device}`,
        { scanning: [busy] },
        { device },
        'scanner_busy',
        /feeding the paper of another scan\./,
        { busy_with: '20261121T063000Z-8f3a1c' },
      ] as const,
  ),
] as readonly (readonly [string, Faults, object, FailureCode, string | RegExp, object?])[]) {
  test(`without ${what} it is refused, and says that nothing was fed`, async ({ directory }) => {
    const refused = preflight(profileIn(directory, fields), parts(faults), never);
    const error = await failure(code, refused);
    assert.match(error.what, message);
    assert.match(error.remedy ?? '', /^Nothing was fed\./);
    if (facts) assert.equal(error.facts, facts);
  });
}

interface Starting {
  readonly parts: PreflightParts;
  readonly asked: () => number;
}

/** A processor that answers from the given question on. */
function startingParts(answersAt: number, mayBeStarting: () => boolean): Starting {
  let asked = 0;
  const { scanner, processor } = parts({});
  const health: typeof processor.health = (signal) =>
    ++asked < answersAt ? Promise.reject(noProcessor) : processor.health(signal);
  return { parts: { scanner, processor: { health }, mayBeStarting }, asked: () => asked };
}

test('a starting processor is waited for, also for pages on disk', async ({ directory }) => {
  for (const check of [preflight, preflightOfProcessing]) {
    const late = startingParts(3, () => true);
    assert.equal(await check(profileIn(directory), late.parts, never), { workers: 2 });
    assert.is(late.asked(), 3);
  }
});

test('a starting processor is waited for until the deadline', async ({ directory }) => {
  const gone = startingParts(Infinity, () => true).parts;
  const reason = new Failure('timeout', 'Too late.');
  const deadline = new AbortController();
  const refused = preflight(profileIn(directory), gone, deadline.signal);
  deadline.abort(reason);
  assert.match((await failure('timeout', refused)).what, /Too late/);
  const { scanner } = parts({ scanner: noRuntime });
  await failure(noRuntime.code, preflight(profileIn(directory), { ...gone, scanner }, never));
});

test('a language is not needed where the text is left to others', async ({ directory }) => {
  const profile = profileIn(directory, { processing: { ocr: false } });
  await preflight(profile, parts({ languages: ['deu'] }), never);
});

test('another scanner is free, also before its name is known', async ({ directory }) => {
  const profile = profileIn(directory, { device: 'epson:2' });
  for (const device of ['fujitsu:1', null]) {
    await preflight(profile, parts({ scanning: [{ ...busy, device }] }), never);
  }
});

test('pages on disk need no scanner, and no room', async ({ directory }) => {
  const { workers } = await preflightOfProcessing(
    profileIn(directory),
    parts({ scanner: noRuntime }),
    never,
  );
  assert.is(workers, 2);
  await rejection(preflightOfProcessing(profileIn('/nonexistent'), parts({}), never));
});
