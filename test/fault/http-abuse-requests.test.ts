import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  abuseSuite,
  ask,
  CLOSE,
  exchange,
  JSON_POST,
  statusesIn,
  type AbuseContext,
} from './http-support/abuse-bench.ts';

const test = abuseSuite(suite<AbuseContext>('HTTP that is none, or two things at once'));

const NEXT = ask(['GET /version HTTP/1.1', 'Host: a', CLOSE]);

/** Requests that two readers may take for different ones, each followed by one that must never be answered for it. */
const AMBIGUOUS: [string, string[], string][] = [
  ['length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
  ['chunks and length', ['Transfer-Encoding: chunked', 'Content-Length: 4'], '0\r\n\r\n'],
  ['two lengths', ['Content-Length: 2', 'Content-Length: 60'], '{}'],
  ['a list of lengths', ['Content-Length: 2, 60'], '{}'],
  ['a signed length', ['Content-Length: +2'], '{}'],
  ['a negative length', ['Content-Length: -2'], '{}'],
  ['a hexadecimal length', ['Content-Length: 0x2'], '{}'],
  ['a length beyond 64 bits', ['Content-Length: 18446744073709551618'], '{}'],
  ['a space before the colon', ['Content-Length : 2'], '{}'],
  ['two codings', ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
  ['a coding that there is not', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
  ['a folded coding', ['Transfer-Encoding:', ' chunked', 'Content-Length: 5'], '0\r\n\r\n'],
  ['a vertical tab in the coding', ['Transfer-Encoding: \u000bchunked'], '0\r\n\r\n'],
  ['a chunk of no size', ['Transfer-Encoding: chunked'], 'x\r\n\r\n'],
  ['a negative chunk', ['Transfer-Encoding: chunked'], '-1\r\n\r\n'],
  ['a chunk beyond 64 bits', ['Transfer-Encoding: chunked'], 'fffffffffffffffff\r\n'],
  ['a chunk that ends in a bare LF', ['Transfer-Encoding: chunked'], '2\n{}\n0\n\n'],
];

for (const [what, headers, body] of AMBIGUOUS) {
  test(`${what}: nobody gets a request through behind it`, async ({ service }) => {
    const answer = await exchange(service, ask([...JSON_POST, ...headers], body + NEXT));
    assert.equal(statusesIn(answer), [400], answer);
    assert.not.match(answer, '"version"');
  });
}

const LINES = Array.from({ length: 20_000 }, (_, index) => `a${index}: b`);

/** Requests that are no requests, with the answers that they may get. */
const BROKEN: [string, string, number[]][] = [
  ['20,000 headers', ask(['GET /health HTTP/1.1', 'Host: a', ...LINES]), [431]],
  ['a header of 1 MB', ask(['GET /health HTTP/1.1', `X: ${'x'.repeat(1_000_000)}`]), [431]],
  ['a path of 1 MB', ask([`GET /${'x'.repeat(1_000_000)} HTTP/1.1`, 'Host: a']), [431]],
  [
    '20,000 trailers',
    ask([...JSON_POST, 'Transfer-Encoding: chunked', CLOSE], `0\r\n${LINES.join('\r\n')}\r\n\r\n`),
    [400, 413, 431],
  ],
  ['two Hosts', ask(['GET /health HTTP/1.1', 'Host: a', 'Host: evil.com', CLOSE]), [400, 421]],
  ['two equal Hosts', ask(['GET /health HTTP/1.1', 'Host: a', 'Host: a', CLOSE]), [400, 421]],
  ['no Host', ask(['GET /health HTTP/1.1', CLOSE]), [400, 421]],
  ['an empty Host', ask(['GET /health HTTP/1.1', 'Host:', CLOSE]), [400, 421]],
  ['HTTP/1.0 without a Host', ask(['GET /health HTTP/1.0']), [421]],
  ['HTTP/1.0', ask(['GET /health HTTP/1.0', 'Host: a']), [200]],
  ['HTTP/0.9', 'GET /health\r\n\r\n', [400, 421]],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  ['HTTP/9.9', ask(['GET /health HTTP/9.9', 'Host: a', CLOSE]), [400, 505]],
  ['the address of another', ask(['GET http://evil.com/x HTTP/1.1', 'Host: a', CLOSE]), [404]],
  [
    'a whole address and a foreign Host',
    ask(['GET http://a/health HTTP/1.1', 'Host: evil.com', CLOSE]),
    [421],
  ],
  ['an address with a user', ask(['GET http://a@b/x HTTP/1.1', 'Host: a', CLOSE]), [404]],
  ['an address of no form', ask(['GET http:// HTTP/1.1', 'Host: a', CLOSE]), [400, 404]],
  ['another scheme', ask(['GET file:///etc/passwd HTTP/1.1', 'Host: a', CLOSE]), [400, 404]],
  ['two slashes', ask(['GET //evil.com/health HTTP/1.1', 'Host: a', CLOSE]), [404]],
  ['a star', ask(['OPTIONS * HTTP/1.1', 'Host: a', CLOSE]), [404, 405]],
  ['CONNECT', ask(['CONNECT evil.com:80 HTTP/1.1', 'Host: a']), []],
  [
    'an upgrade',
    ask(['GET /x HTTP/1.1', 'Host: a', 'Connection: Upgrade, close', 'Upgrade: websocket']),
    [404],
  ],
  ['TRACE', ask(['TRACE / HTTP/1.1', 'Host: a', CLOSE]), [404, 405]],
  ['a method that there is not', ask(['SCAN / HTTP/1.1', 'Host: a']), [400]],
  ['a NUL in a header', ask(['GET /health HTTP/1.1', 'Host: a', 'X: \0']), [400]],
  ['a bare CR in a header', ask(['GET /health HTTP/1.1', 'Host: a', 'X: a\rb']), [400]],
  ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003', [400]],
  ['an expectation', ask([...JSON_POST, 'Expect: magic', 'Content-Length: 2', CLOSE], '{}'), [417]],
];

for (const [what, request, statuses] of BROKEN) {
  test(`${what} is answered ${statuses.join(' or ') || 'nothing'}`, async ({ service }) => {
    const answer = await exchange(service, Buffer.from(request, 'latin1'));
    const [status] = statusesIn(answer);
    if (statuses.length > 0) assert.ok(statuses.includes(status ?? 0), answer || 'no answer');
    assert.ok(statusesIn(answer).length <= 1, answer);
  });
}

test('100 requests at once on a connection are answered in order, and no more of them', async ({
  service,
}) => {
  const one = ask(['GET /health HTTP/1.1', 'Host: a']);
  const two = ask([...JSON_POST, 'Content-Length: 13'], '{"profile":5}');
  const answer = await exchange(service, (one + two).repeat(100) + NEXT);
  const statuses = statusesIn(answer);
  const first = statuses.slice(0, 100);
  assert.equal(new Set(first.filter((_, index) => index % 2 === 0)), new Set([200]));
  assert.equal(new Set(first.filter((_, index) => index % 2 === 1)), new Set([400]));
  assert.equal(new Set(statuses.slice(100)), new Set([503]));
});

test.run();
