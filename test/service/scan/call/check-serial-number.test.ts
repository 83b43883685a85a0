import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import { checkSerialNumber } from '../../../../service/scan/call/check-serial-number.ts';
import { testProfile } from '../../../support/test-app.ts';

const test = suite('an archive serial number');

const grouping = (page_grouping: string): ReturnType<typeof testProfile> =>
  testProfile({ name: 'a', assembly: { page_grouping } });

const NUMBERED = { archive_serial_number: 7 };

test('is for one document', () => {
  checkSerialNumber(grouping('combined'), NUMBERED);
});

for (const page_grouping of ['per_page', 'per_sheet']) {
  test(`is refused with ${page_grouping}, which names the field and the profile`, () => {
    checkSerialNumber(grouping(page_grouping), {});
    try {
      checkSerialNumber(grouping(page_grouping), NUMBERED);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, Failure);
      assert.is((error as Failure).code, 'invalid_body');
      assert.match((error as Failure).message, /"archive_serial_number".*"a" groups pages per_/);
      const [field] = (error as Failure).facts['fields'] as { field: string }[];
      assert.is(field?.field, 'archive_serial_number');
    }
  });
}

test.run();
