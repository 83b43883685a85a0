import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mergeMetadata } from '../../../service/destinations/merge-metadata.ts';

const test = suite('metadata');

const DESTINATION = {
  kind: 'dms',
  base_url: 'http://paperless:8000',
  token_secret: 'dms_api_token',
  tags: [3, 4],
  correspondent: 1,
  document_type: 2,
  storage_path: 5,
} as const;

test('a request that says nothing leaves what the profile says', () => {
  assert.equal(mergeMetadata(DESTINATION, {}), {
    tags: [3, 4],
    correspondent: 1,
    document_type: 2,
    storage_path: 5,
  });
});

test('the request comes before the profile', () => {
  const requested = { correspondent: 7, document_type: 8, storage_path: 9 };
  assert.equal(mergeMetadata(DESTINATION, requested), { ...requested, tags: [3, 4] });
});

test('tags of both are sent, each once, those of the profile first', () => {
  assert.equal(mergeMetadata(DESTINATION, { tags: [4, 9, 9] }).tags, [3, 4, 9]);
});

test('what only a request can say is passed on', () => {
  const requested = {
    title: 'Invoice',
    created: '2026-11-21',
    archive_serial_number: 17,
    custom_fields: { 1: 'R-1' },
  };
  const merged = mergeMetadata(
    { kind: 'dms', base_url: 'http://paperless:8000', token_secret: 'dms_api_token' },
    requested,
  );
  assert.equal(merged, {
    ...requested,
    tags: [],
    correspondent: undefined,
    document_type: undefined,
    storage_path: undefined,
  });
});

test('the address and the name of the secret are no metadata', () => {
  const names = Object.keys(mergeMetadata(DESTINATION, {}));
  assert.not.ok(names.some((name) => ['kind', 'base_url', 'token_secret'].includes(name)));
});

test.run();
