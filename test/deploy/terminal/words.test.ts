import { ClientError } from '../../../deploy/terminal/client-error.ts';
import { USAGE, parseOptions } from '../../../deploy/terminal/options.ts';
import { EXIT, describeAnswer, exitCodeOf, type Answer } from '../../../deploy/terminal/outcome.ts';
import {
  eventLine,
  progressAfter,
  progressLine,
  type Progress,
} from '../../../deploy/terminal/progress.ts';
import type { StreamEvent } from '../../../service/page/event-stream.js';
import { assert, suite } from '../../support/suite.ts';

const options = suite('options of the terminal client');

/** A call for a scan that says no more than this. */
function scanning(body: object): object {
  const unsaid = { profile: undefined, title: undefined, tags: undefined, created: undefined };
  return { kind: 'scan', body: { ...unsaid, hold: undefined, ...body } };
}

function continuing(body: object): object {
  return { kind: 'scan', body: { continue_scan: 'X', side: undefined, hold: undefined, ...body } };
}

options('scans with the default profile at the usual address', () => {
  assert.equal(parseOptions([], {}), {
    help: false,
    json: false,
    list: false,
    baseUrl: 'http://127.0.0.1:8080',
    token: undefined,
    call: scanning({}),
  });
});

options('takes the address and the token from the environment, and an option before it', () => {
  const environment = { SCAN_URL: 'http://scanner.local:8080/', SCAN_API_TOKEN: 'secret' };
  const { baseUrl, token } = parseOptions([], environment);
  assert.equal([baseUrl, token], ['http://scanner.local:8080', 'secret']);
  assert.is(parseOptions(['--url', 'https://a/scan/'], environment).baseUrl, 'https://a/scan');
});

const CALLS: readonly [string, object][] = [
  ['duplex --title Bill', scanning({ profile: 'duplex', title: 'Bill' })],
  ['--tags a,2026 --created 2026-11-24', scanning({ tags: ['a', '2026'], created: '2026-11-24' })],
  ['--continue X --hold', continuing({ hold: true })],
  ['--continue X --side backs', continuing({ side: 'backs' })],
  ['--resume X', { kind: 'resume', scanId: 'X' }],
  ['--watch X', { kind: 'watch', scanId: 'X' }],
];

for (const [args, call] of CALLS) {
  options(`understands ${args}`, () => {
    assert.equal(parseOptions(args.split(' '), {}).call, call);
  });
}

const REFUSED: readonly [string, RegExp][] = [
  ['a b', /Only one profile/],
  ['--resume X --watch Y', /only one of --continue, --resume and --watch/],
  ['--watch X duplex', /A scan keeps the profile/],
  ['--resume X --side backs', /--side is for --continue/],
  ['--resume X --hold', /--hold is for calls that feed paper/],
  ['--nonsense', /nonsense/],
  ['--url scanner', /--url must be an address such as/],
];

for (const [args, message] of REFUSED) {
  options(`refuses ${args}, and shows the usage`, () => {
    try {
      parseOptions(args.split(' '), {});
      assert.unreachable();
    } catch (error) {
      assert.instance(error, ClientError);
      assert.is((error as ClientError).exitCode, EXIT.usage);
      assert.match(String(error), message);
      assert.match(String(error), 'Usage: npm run scan');
    }
  });
}

options('the usage promises every exit code', () => {
  for (const code of Object.values(EXIT)) assert.match(USAGE, new RegExp(`^ {2}${code} `, 'm'));
});

const outcomes = suite('how the terminal client ends');

const SUBMITTED = { status: 'submitted', task_id: 't-1' };
const FAILED = { status: 'failed', error: 'The token is wrong.' };

function result(fields: object, ...destinations: readonly object[]): Answer {
  const document = { filename: 'document-0001.pdf', page_count: 2, destinations };
  const body = { scan_id: 'S', state: 'finished', page_count: 2, duration_ms: 8342, warnings: [] };
  return { status: 200, body: { ...body, documents: [document], ...fields } };
}

function refused(error: string, facts: object = {}): Answer {
  return { status: 500, body: { error, message: 'What happened. What to do.', ...facts } };
}

const ENDS: readonly [string, Answer, number, RegExp][] = [
  ['everything accepted', result({}, SUBMITTED), EXIT.done, /1 document in 8\.3 s.*task t-1/s],
  [
    'no destination',
    result({}),
    EXIT.done,
    /2 pages, 1 document.*http:\/\/scanner:8080\/#scan=S$/s,
  ],
  ['a delivery failed', result({}, SUBMITTED, FAILED), EXIT.deliveryFailed, /failed: The token/],
  ['a warning', result({ warnings: ['One sheet.'] }), EXIT.done, /Warning: One sheet\./],
  [
    'held',
    result({ state: 'held', documents: [] }),
    EXIT.done,
    /--continue S --hold.*--resume S.*http:\/\/scanner:8080\/#scan=S/s,
  ],
  ['an empty feeder', refused('no_documents', { page_count: 0 }), EXIT.feederEmpty, /What to do/],
  ['a busy scanner', refused('scanner_busy', { busy_with: 'B' }), EXIT.busy, /scan --watch B/],
  ['a busy scan', refused('scan_in_progress', { scan_id: 'S' }), EXIT.busy, /scan --watch S/],
  [
    'a jam',
    refused('scanner_jammed', { scan_id: 'S', page_count: 2 }),
    EXIT.endedEarly,
    /scan --resume S.*scan --continue S/s,
  ],
  ['a jam at the first page', refused('scanner_jammed', { page_count: 0 }), EXIT.other, /What to/],
  ['a wrong profile', refused('profile_not_found'), EXIT.other, /What happened/],
];

for (const [what, answer, code, message] of ENDS) {
  outcomes(`${what}: exit code ${code}`, () => {
    assert.is(exitCodeOf(answer), code);
    assert.match(
      describeAnswer(answer, { command: 'scan', baseUrl: 'http://scanner:8080' }),
      message,
    );
  });
}

const progress = suite('progress in a terminal');

const BEGUN: Progress = {
  stage: 'scan',
  page_count: 0,
  recognized_count: 0,
  document_count: 0,
  upload: null,
};

const lineAfter = (change: Partial<Progress>): string => progressLine({ ...BEGUN, ...change });

progress('says how far a scan is', () => {
  assert.is(lineAfter({}), '0 pages');
  assert.is(lineAfter({ page_count: 1 }), '1 page');
  assert.is(lineAfter({ page_count: 2, recognized_count: 1 }), '2 pages · 1 read');
  const fed = { stage: 'process', page_count: 2, recognized_count: 1 } as const;
  assert.is(lineAfter(fed), '2 pages · reading 1/2 · the feeder is free, take your paper');
  assert.is(lineAfter({ ...fed, document_count: 1 }), '2 pages · 1 document made');
  const upload = { title: 'Bill' };
  assert.is(lineAfter({ ...fed, document_count: 1, upload }), '2 pages · sending "Bill"');
});

progress('is what the view of an event says, or a snapshot', () => {
  const event = (name: string, data: object): StreamEvent => ({
    id: '1',
    event: name,
    data: JSON.stringify(data),
  });
  assert.equal(progressAfter(event('page', { number: 1, view: BEGUN })), BEGUN);
  assert.equal(progressAfter(event('snapshot', BEGUN)), BEGUN);
  assert.is(progressAfter(event('something_new', {})), undefined);
});

/** Each event, and the line that is kept. */
const STORY: readonly [string, object, string | undefined][] = [
  ['begun', { scan_id: 'S' }, 'scan S has begun'],
  ['page', { number: 2, sheet: 1, side: 'back' }, 'page 2: back of sheet 1'],
  ['recognized', { page: 1 }, 'page 1 is read'],
  ['fed', { complete: false }, undefined],
  ['fed', { complete: true }, 'the feeder is free, take your paper'],
  ['something_new', {}, undefined],
  ['assembled', { document: 0 }, 'document 1 is made'],
  ['upload_begun', { document: 0, title: 'Bill' }, 'sending "Bill"'],
  ['upload_ended', { document: 0, outcome: 'unknown' }, 'document 1 is not submitted'],
  ['snapshot', { scan_id: 'S', page_count: 3 }, 'scan S has 3 pages'],
  ['ended', {}, undefined],
];

progress('has a line for each event that says something to a person', () => {
  for (const [name, data, kept] of STORY) {
    assert.is(eventLine({ id: '1', event: name, data: JSON.stringify(data) }), kept, name);
  }
});
