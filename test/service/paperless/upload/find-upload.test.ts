import { createAccess } from '../../../../service/paperless/dms.ts';
import { findUpload, type Doubt } from '../../../../service/paperless/upload/find-upload.ts';
import type { Fault } from '../../../../simulators/sample-dms/faults.ts';
import { PATIENT_TIMEOUTS_MS } from '../../../support/patient-timeouts.ts';
import { assert, suite } from '../../../support/suite.ts';
import { createBench, SENTINEL } from './delivery-bench.ts';

const test = suite('find an upload');

/** What became of the task of the upload, what is in doubt, and whether the document is sent again. */
const CASES: readonly (readonly [Fault | undefined, Doubt, 'accepted' | 'there' | undefined])[] = [
  [undefined, 'unknown', 'accepted'],
  [undefined, 'submitted', 'there'],
  // Lost with the data of Redis: it may still come, and a person who has looked knows better.
  [{ kind: 'lost_task' }, 'unknown', 'accepted'],
  [{ kind: 'lost_task' }, 'submitted', undefined],
  // Its parts have other names and checksums.
  [{ kind: 'split_task' }, 'unknown', 'accepted'],
  [{ kind: 'split_task' }, 'submitted', undefined],
  [{ kind: 'failed_task', reason: 'Given ASN 5 already exists!' }, 'unknown', undefined],
];

const SYSTEMS = {
  '2.20': { version: '2.20' },
  '3.0': { version: '3.0' },
  'a later release, without version 9 of the API': { version: '3.0', oldest_api: 10 },
} as const;

for (const [system, options] of Object.entries(SYSTEMS)) {
  test(`in ${system}, by its document and by its task`, async () => {
    for (const [fault, doubt, expected] of CASES) {
      const bench = await createBench(options);
      const document = await bench.document();
      bench.dms.setFault(fault);
      const { outcome } = await bench.deliver({ document });
      assert.is(outcome, 'accepted');
      await bench.dms.idle();
      const accessTo = createAccess(async () => SENTINEL, PATIENT_TIMEOUTS_MS);
      const access = await accessTo(bench.destination(), new AbortController().signal);
      const found = await findUpload(access, document, doubt);
      assert.is(found?.kind, expected, `${doubt}, ${fault?.kind}`);
      if (found?.kind === 'accepted') assert.is(found.taskId, bench.dms.tasks()[0]?.task_id);
      await bench.close();
    }
  });
}

test('not where its document belongs to somebody else, whom the user of the token does not see', async () => {
  const permissions = ['add_document', 'view_document', 'view_paperlesstask'];
  const bench = await createBench({
    tokens: [SENTINEL, { token: 'another', id: 2, permissions }],
  });
  const document = await bench.document();
  await bench.deliver({ document });
  await bench.dms.idle();
  const accessTo = createAccess(async () => 'another', PATIENT_TIMEOUTS_MS);
  const access = await accessTo(bench.destination(), new AbortController().signal);
  assert.is(await findUpload(access, document, 'unknown'), undefined);
  await bench.close();
});
