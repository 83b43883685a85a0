import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DmsDestination } from '../../../../service/paperless/destination.ts';
import { usableCodes } from '../../../../service/scan/stages/code-references.ts';
import { createDms } from '../../../../service/paperless/dms.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { createScanBench, type ScanBench } from '../call/scan-bench.ts';

const test = withFixture<ScanBench>(suite('what codes name in a system'), createScanBench);

const names = createDms(() => Promise.resolve('token')).names(new AbortController().signal);

const at = ({ dms }: ScanBench, change: object = {}): DmsDestination => ({
  kind: 'dms',
  base_url: dms.url,
  token_secret: 'dms_api_token',
  ...change,
});

test('what is not there is left out with a warning, whether it is a name or an id', async (bench) => {
  const codes = { tags: ['tax', 'no such tag', 987], document_type: '../../x', title: 'T' };
  const { metadata, warnings } = await usableCodes(codes, at(bench), names);
  assert.equal(metadata.tags, ['tax']);
  assert.equal([metadata.document_type, metadata.title], [undefined, 'T']);
  assert.match(warnings.join('\n'), /987/);
  assert.match(warnings.join('\n'), /^A code on a separator is not used\. .*no such tag/m);
  assert.match(warnings.join('\n'), /\.\.\/\.\.\/x/);
});

test.run();
