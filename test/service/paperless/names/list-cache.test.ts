import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createListCache, type ListCache } from '../../../../service/paperless/names/list-cache.ts';
import { rejection } from '../../../support/rejection.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { createDmsBench, NEVER, type DmsBench } from '../dms-bench.ts';

const test = withFixture<DmsBench>(suite('the lists of a system'), () =>
  createDmsBench({ objects: { tags: [{ id: 1, name: 'Tax' }] } }),
);

const NOW = { signal: NEVER, look: 'now' } as const;

async function tags(cache: ListCache, { destination }: DmsBench): Promise<string[]> {
  const { objects } = await cache.list(destination(), 'tags', NOW);
  return (objects ?? []).map(({ name }) => name);
}

test('have what was created while they were asked for, until they are read again', async (bench) => {
  const cache = createListCache(bench.dms.accessTo);
  await tags(cache, bench);
  const underWay = tags(cache, bench);
  // Unlike one of Paperless-ngx, so that no answer has it.
  cache.add(bench.destination(), 'tags', { id: 99, name: 'New' });
  assert.equal(await underWay, ['Tax', 'New']);
  assert.equal(await tags(cache, bench), ['Tax']);
});

test('are not made of what was created, where they cannot be read', async (bench) => {
  const cache = createListCache(() => Promise.reject(new Error('no token')));
  cache.add(bench.destination(), 'tags', { id: 99, name: 'New' });
  assert.is((await cache.list(bench.destination(), 'tags', NOW)).objects, undefined);
});

test('are asked for again after a question that failed by a bug', async (bench) => {
  let bugs = 1;
  const cache = createListCache((...asked) => {
    if (bugs-- > 0) throw new Error('a bug');
    return bench.dms.accessTo(...asked);
  });
  assert.match(String(await rejection(tags(cache, bench))), /a bug/);
  assert.equal(await tags(cache, bench), ['Tax']);
});

test.run();
