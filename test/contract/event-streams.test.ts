import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SHOWN_FIELDS } from '../../service/http/events/event-message.ts';
import { VIEW_FIELDS, VIEW_LISTS } from '../../service/http/events/view-changes.ts';
import { readOpenApi } from '../../service/http/open-api.ts';

const test = suite('what the description says of event streams');

const { document } = await readOpenApi('1.2.3');

const { EventStream } = (
  document as { components: { schemas: Record<string, { description: string }> } }
).components.schemas;
const description = EventStream?.description ?? '';

/** The names in backticks of each row of the table: that of the event, then its fields. */
function describedEvents(): Map<string, string[]> {
  const rows = description.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.map((row) => {
      const [name = '', ...fields] = [...row.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? '');
      return [name, fields];
    }),
  );
}

test('every event of a scan is described, with each field that is sent', () => {
  const described = describedEvents();
  assert.equal([...described.keys()], ['snapshot', ...Object.keys(SHOWN_FIELDS), 'result']);
  for (const [name, fields] of Object.entries(SHOWN_FIELDS)) {
    const missing = fields.filter(
      (field) => field !== 'at' && described.get(name)?.includes(field) !== true,
    );
    assert.equal(missing, [], name);
  }
});

test('the view that every event has is described, with each of its fields', () => {
  const [, text = ''] = description.split('`view`');
  const missing = [...VIEW_FIELDS, ...VIEW_LISTS].filter((name) => !text.includes(`\`${name}\``));
  assert.equal(missing, []);
});

test.run();
