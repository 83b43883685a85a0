import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { METADATA_RULES } from '../../service/paperless/metadata-schema.ts';
import { readOpenApi } from '../../service/http/open-api.ts';

const test = suite('what the description says of requests');

const openApi = await readOpenApi('1.2.3');

test('the fields of a request are those that the code takes', () => {
  const { ScanRequest, ResumeRequest, PageEdit } = (
    openApi.document as {
      components: { schemas: Record<string, { properties: object }> };
    }
  ).components.schemas;
  const metadata = Object.keys(METADATA_RULES);
  assert.equal(Object.keys(ScanRequest?.properties ?? {}), [
    'profile',
    'continue_scan',
    'hold',
    'side',
    ...metadata,
  ]);
  assert.equal(Object.keys(ResumeRequest?.properties ?? {}), [
    'redeliver_failed',
    'resend_unknown',
    'resend_submitted',
    'add_destinations',
    'keep_blank_pages',
    'profile',
    ...metadata,
  ]);
  const edits = Object.keys(PageEdit?.properties ?? {});
  assert.equal(edits, ['left_out', 'turn', 'before', 'starts_document']);
});

test.run();
