import type { ServerResponse } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

type Headers = Readonly<Record<string, string>>;

export function jsonAnswer(status: number, value: unknown, headers: Headers = {}): Answer {
  const body = JSON.stringify(value);
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

export function htmlAnswer(status: number, body: string, headers: Headers = {}): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body };
}

export class Refused extends Error {
  readonly answer: Answer;

  constructor(status: number, detail: string, headers: Headers = {}) {
    super(detail);
    this.answer = jsonAnswer(status, { detail }, headers);
  }
}

/** The response, or the error that was thrown; Django's error page for other exceptions. */
export async function answerOf(make: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    return htmlAnswer(500, '<h1>Server Error (500)</h1>');
  }
}

const PAGE_SIZE = 25;

/** The page of a list that `page` and `page_size` in `url` select. */
export function pageAnswer<One>(
  items: readonly One[],
  url: URL,
  describe: (item: One) => unknown,
): Answer {
  const size = Number(url.searchParams.get('page_size') ?? PAGE_SIZE);
  const page = Number(url.searchParams.get('page') ?? 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  if (!(page >= 1 && page <= last)) throw new Refused(404, 'Invalid page.');
  const linkTo = (number: number): string => {
    const link = new URL(url);
    link.searchParams.set('page', String(number));
    return link.href;
  };
  return jsonAnswer(200, {
    count: items.length,
    next: page < last ? linkTo(page + 1) : null,
    previous: page > 1 ? linkTo(page - 1) : null,
    results: items.slice((page - 1) * size, page * size).map(describe),
  });
}

/** Django's response to a POST to an unknown path. */
export const FORBIDDEN = htmlAnswer(
  403,
  '<!doctype html>\n<title>403 Forbidden</title>\n<h1>Forbidden</h1><p>CSRF verification failed. Request aborted.</p>\n',
);

export function send(response: ServerResponse, answer: Answer): void {
  const length = String(Buffer.byteLength(answer.body));
  response.writeHead(answer.status, { ...answer.headers, 'content-length': length });
  response.end(answer.body);
}
