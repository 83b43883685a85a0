import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeAnswer, EXIT, exitCodeOf, type Answer } from '../../../deploy/terminal/outcome.ts';

const test = suite('how the terminal client ends');

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
  test(`${what}: exit code ${code}`, () => {
    assert.is(exitCodeOf(answer), code);
    assert.match(
      describeAnswer(answer, { command: 'scan', baseUrl: 'http://scanner:8080' }),
      message,
    );
  });
}

test.run();
