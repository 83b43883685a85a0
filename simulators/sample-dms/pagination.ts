import { jsonAnswer, type Answer } from './answer.ts';

const PAGE_SIZE = 25;
const MAX_PAGE_SIZE = 100_000;

interface Item {
  readonly id: number;
}

/**
 * Returns one page of a list, selected by `page` and `page_size` of `url`. Up to API version 9 it includes the ids of all items.
 */
export function pageAnswer<One extends Item>(
  items: readonly One[],
  url: URL,
  { apiVersion, describe }: { apiVersion: number; describe: (item: One) => unknown },
): Answer {
  const size = positive(url.searchParams.get('page_size')) ?? PAGE_SIZE;
  const pageSize = Math.min(size, MAX_PAGE_SIZE);
  const last = Math.max(1, Math.ceil(items.length / pageSize));
  const asked = url.searchParams.get('page') ?? '1';
  const page = asked === 'last' ? last : positive(asked);
  if (page === undefined || page > last) return jsonAnswer(404, { detail: 'Invalid page.' });
  return jsonAnswer(
    200,
    {
      count: items.length,
      next: page < last ? linkTo(url, page + 1) : null,
      previous: page > 1 ? linkTo(url, page - 1) : null,
      ...(apiVersion < 10 && { all: items.map(({ id }) => id) }),
      results: items.slice((page - 1) * pageSize, page * pageSize).map(describe),
    },
    { allow: 'GET, POST, HEAD, OPTIONS' },
  );
}

function positive(text: string | null): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}

function linkTo(url: URL, page: number): string {
  const link = new URL(url);
  link.searchParams.set('page', String(page));
  if (page === 1) link.searchParams.delete('page');
  link.searchParams.sort();
  return link.href;
}
