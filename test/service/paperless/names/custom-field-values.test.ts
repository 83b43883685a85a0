import { checkFieldValue } from '../../../../service/paperless/names/custom-field-values.ts';
import { assert, suite } from '../../../support/suite.ts';

const test = suite('the values of custom fields');

/** What Paperless-ngx takes, and what it refuses or fails on, by the type of the field. */
const VALUES: Readonly<
  Record<string, readonly [good: readonly unknown[], bad: readonly unknown[]]>
> = {
  string: [
    ['', 'R-1', 'ä'.repeat(128)],
    ['x'.repeat(129), 17, true, ['a']],
  ],
  longtext: [['x'.repeat(1000)], [17, false]],
  url: [
    ['', 'https://example.org/a', 'mailto:a@b'],
    ['example.org', 'x:', 5],
  ],
  date: [
    ['2026-11-21', '20261121', '2026-1-5'],
    ['21.11.2026', '2026-13-01', '2026-02-31', 20_261_121],
  ],
  boolean: [
    [true, false],
    ['yes', 'true', 1],
  ],
  integer: [
    [0, -5, '42'],
    [1.5, 'x', 3_000_000_000, true, [5]],
  ],
  float: [
    [1.5, -2, '1.5', 1e-7],
    ['one', true, '1.2.3', '...', '', '1e999', [5]],
  ],
  monetary: [
    ['EUR12.50', '12.5', 12, '', 'USD-1.00'],
    ['ten', 'EUR12', true],
  ],
  documentlink: [
    [[], [1, 2]],
    [1, ['a']],
  ],
};

test('each type takes what Paperless-ngx takes, and nothing that it fails on', () => {
  for (const [data_type, [good, bad]] of Object.entries(VALUES)) {
    const field = { id: 1, name: 'Field', data_type };
    for (const value of [...good, null]) {
      assert.equal(checkFieldValue(field, value), { value }, `${data_type} ${String(value)}`);
    }
    for (const value of bad) {
      assert.ok('expected' in checkFieldValue(field, value), `${data_type} ${String(value)}`);
    }
  }
});

test('a choice is given by its label or its id, and sent by its id', () => {
  const select_options = [{ id: 'a1', label: 'Kitchen' }];
  const field = { id: 1, name: 'Room', data_type: 'select', select_options };
  assert.equal(checkFieldValue(field, 'Kitchen'), { value: 'a1' });
  assert.equal(checkFieldValue(field, 'a1'), { value: 'a1' });
  assert.equal(checkFieldValue(field, 'Attic'), { expected: 'one of Kitchen' });
});

test('a type that is not known takes anything', () => {
  assert.equal(checkFieldValue({ id: 1, name: 'New', data_type: 'colour' }, 5), { value: 5 });
});
