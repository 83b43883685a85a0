import type { RecordedUpload } from '../../../service/archive/scan-record.ts';
import {
  decideUpload,
  DEFAULT_REDELIVERY,
  type Redelivery,
  type UploadDecision,
} from '../../../service/archive/upload-decision.ts';
import {
  accepted,
  type Delivery,
  identityOf,
  refused,
  unknown,
} from '../../../service/paperless/destination.ts';
import type { Finding, FoundTask } from '../../../service/paperless/upload/find-upload.ts';
import { assert, suite } from '../../support/suite.ts';

const DOCUMENT = 'document-0001.pdf';

/** The document's state at a destination. `cut`: an upload began, but its end is not recorded. */
type State = 'never' | 'refused' | 'failed' | 'unknown' | 'accepted' | 'cut' | 'cut again';

const LAST: Readonly<Record<State, Delivery | undefined>> = {
  never: undefined,
  refused: refused('400'),
  failed: refused('Connection refused.'),
  unknown: unknown('500'),
  accepted: accepted('task'),
  cut: undefined,
  'cut again': accepted('task'),
};

const SAID = {
  nothing: {},
  not_failed: { redeliver_failed: false },
  unknown: { resend_unknown: true },
  submitted: { resend_submitted: [DOCUMENT] },
  another: { resend_submitted: ['document-0002.pdf'] },
  add: { add_destinations: true },
  'add, not_failed': { add_destinations: true, redeliver_failed: false },
  'add, unknown': { add_destinations: true, resend_unknown: true },
} as const satisfies Readonly<Record<string, Partial<Redelivery>>>;

const task = (state: FoundTask['state']): Finding => {
  return { documentId: undefined, task: { id: 'found', state } };
};

const SHOWN = {
  silent: { documentId: undefined, task: undefined },
  queued: task('under_way'),
  done: task('succeeded'),
  dropped: task('dropped'),
  stored: { documentId: 7, task: { id: 'found', state: 'succeeded' } },
  'stored, task dropped': { documentId: 7, task: { id: 'found', state: 'dropped' } },
} as const satisfies Readonly<Record<string, Finding>>;

/**
 * State of the document at this destination, at the profile's other destinations and at removed
 * destinations; the flags; the answer if queried. The rows cover every way to file a document
 * twice.
 */
type Row = readonly [
  own: State,
  beside: readonly State[],
  left: readonly State[],
  said: keyof typeof SAID,
  shown: keyof typeof SHOWN | undefined,
  decision: string,
];

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  'the first upload': [
    ['never', [], [], 'nothing', undefined, 'send'],
    ['never', ['accepted', 'unknown', 'cut'], [], 'nothing', undefined, 'send'],
  ],
  'what a destination refused, or did not take because it could not be reached': [
    ['refused', [], [], 'nothing', undefined, 'send'],
    ['failed', [], [], 'nothing', undefined, 'send'],
    ['refused', ['accepted', 'unknown'], [], 'nothing', undefined, 'send'],
    ['refused', [], [], 'not_failed', undefined, 'keep refused'],
    ['refused', [], [], 'unknown', undefined, 'send'],
  ],
  'another destination, spelling, secret or profile, while nobody may have the document': [
    ['never', [], ['refused', 'failed'], 'nothing', undefined, 'send'],
    ['refused', [], ['failed'], 'nothing', undefined, 'send'],
  ],
  'another destination, spelling, secret or profile, while one that left may have it': [
    ['never', [], ['accepted'], 'nothing', undefined, 'keep left_system'],
    ['never', [], ['unknown'], 'nothing', undefined, 'keep left_system'],
    ['never', [], ['cut'], 'nothing', undefined, 'keep left_system'],
    ['never', ['accepted'], ['refused', 'accepted'], 'nothing', undefined, 'keep left_system'],
    ['never', [], ['accepted'], 'unknown', undefined, 'keep left_system'],
    ['never', [], ['accepted'], 'submitted', undefined, 'keep left_system'],
    ['never', [], ['accepted'], 'add', undefined, 'send'],
  ],
  'back to one that refused it, after another one took it': [
    ['refused', [], ['accepted'], 'nothing', undefined, 'keep left_system'],
    ['failed', [], ['accepted'], 'nothing', undefined, 'keep left_system'],
    ['refused', [], ['unknown'], 'nothing', undefined, 'keep left_system'],
    ['refused', [], ['cut again'], 'nothing', undefined, 'keep left_system'],
    ['refused', [], ['accepted'], 'unknown', undefined, 'keep left_system'],
    ['refused', [], ['accepted'], 'submitted', undefined, 'keep left_system'],
    ['refused', ['accepted'], [], 'nothing', undefined, 'send'],
    ['refused', [], ['accepted'], 'add', undefined, 'send'],
    ['refused', [], ['accepted'], 'add, not_failed', undefined, 'keep refused'],
  ],
  'back to one that accepted it': [
    ['accepted', [], [], 'nothing', undefined, 'keep accepted'],
    ['accepted', [], ['accepted', 'unknown', 'refused'], 'nothing', undefined, 'keep accepted'],
    ['accepted', [], ['accepted'], 'add', undefined, 'keep accepted'],
    ['accepted', [], [], 'unknown', undefined, 'keep accepted'],
    ['accepted', [], [], 'another', undefined, 'keep accepted'],
  ],
  'back to one of which nobody knows whether it has it': [
    ['unknown', [], [], 'nothing', undefined, 'keep unknown'],
    ['cut', [], [], 'nothing', undefined, 'keep unknown'],
    ['unknown', [], ['accepted'], 'nothing', undefined, 'keep unknown'],
    ['unknown', [], ['accepted'], 'add', undefined, 'keep unknown'],
    ['unknown', [], [], 'submitted', undefined, 'keep unknown'],
    ['cut again', [], [], 'submitted', undefined, 'keep unknown'],
  ],
  resend_unknown: [
    ['unknown', [], [], 'unknown', undefined, 'ask'],
    ['cut again', [], ['accepted'], 'unknown', undefined, 'ask'],
    ['unknown', [], [], 'unknown', 'silent', 'send'],
    ['cut', [], [], 'unknown', 'silent', 'send'],
    ['unknown', [], [], 'unknown', 'dropped', 'send'],
    ['unknown', [], [], 'unknown', 'queued', 'arrived found'],
    ['unknown', [], [], 'unknown', 'done', 'arrived found'],
    ['unknown', [], [], 'unknown', 'stored', 'arrived found'],
    ['unknown', [], [], 'unknown', 'stored, task dropped', 'keep there'],
  ],
  'resend_unknown where another destination has it, or may have': [
    ['unknown', ['accepted'], [], 'unknown', 'silent', 'send'],
    ['unknown', [], ['accepted'], 'unknown', 'silent', 'keep left_system'],
    ['unknown', [], ['unknown'], 'unknown', 'dropped', 'keep left_system'],
    ['unknown', [], ['accepted'], 'unknown', 'queued', 'arrived found'],
    ['unknown', [], ['accepted'], 'add, unknown', 'silent', 'send'],
    ['unknown', ['unknown'], [], 'unknown', 'queued', 'keep under_way'],
    ['unknown', [], ['cut'], 'unknown', 'queued', 'keep under_way'],
    ['unknown', ['unknown'], [], 'unknown', 'stored', 'keep there'],
    ['unknown', ['unknown'], [], 'unknown', 'done', 'arrived found'],
  ],
  resend_submitted: [
    ['accepted', [], [], 'submitted', undefined, 'ask'],
    ['accepted', [], [], 'submitted', 'silent', 'send'],
    ['accepted', [], [], 'submitted', 'dropped', 'send'],
    ['accepted', [], [], 'submitted', 'done', 'send'],
    ['accepted', [], [], 'submitted', 'queued', 'keep under_way'],
    ['accepted', [], [], 'submitted', 'stored', 'keep there'],
    ['accepted', [], [], 'submitted', 'stored, task dropped', 'keep there'],
    ['accepted', [], ['accepted'], 'submitted', 'dropped', 'send'],
  ],
};

const at = (index: number): string =>
  identityOf({ base_url: `http://dms-${index}`, token_secret: 'token' });

function uploadsOf(states: readonly State[]): Record<string, RecordedUpload> {
  const known = states.flatMap((state, index): [string, RecordedUpload][] => {
    if (state === 'never') return [];
    return [[at(index), { isOpen: state.startsWith('cut'), last: LAST[state], tasks: [] }]];
  });
  return Object.fromEntries(known);
}

function wordsOf(decision: UploadDecision): string {
  if (decision.kind === 'keep') return `keep ${decision.reason}`;
  return decision.kind === 'arrived' ? `arrived ${decision.taskId}` : decision.kind;
}

const test = suite('whether a document goes to a destination');

for (const [what, rows] of Object.entries(TABLE)) {
  for (const [own, beside, left, said, shown, expected] of rows) {
    const others = `beside [${beside.join()}], left [${left.join()}]`;
    test(`${what}: ${own}, ${others}, said ${said}, shown ${shown}: ${expected}`, () => {
      const uploads = uploadsOf([own, ...beside, ...left]);
      const decided = decideUpload({
        identity: at(0),
        identities: [own, ...beside].map((_, index) => at(index)),
        document: { filename: DOCUMENT, uploads },
        redelivery: { ...DEFAULT_REDELIVERY, ...SAID[said] },
        finding: shown && SHOWN[shown],
      });
      assert.is(wordsOf(decided), expected);
    });
  }
}
