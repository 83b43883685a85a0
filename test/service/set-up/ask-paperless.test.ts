import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, LookupFunction } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { isRefused, REFUSED_ADDRESS, guardedLookup } from '../../../service/set-up/address-rule.ts';
import { askPaperless, type Account, type Asked } from '../../../service/set-up/ask-paperless.ts';
import { textOf } from '../../../service/set-up/texts/texts.ts';
import { createSampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { assert, withFixture } from '../../support/suite.ts';

const TOKEN = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';
const JSON_TYPE = { 'content-type': 'application/json' };
const NONE: Account = { kind: 'none' };
const LOGIN: Account = { kind: 'login', user: 'admin', password: 'secret word', code: undefined };
const BY_TOKEN: Account = { kind: 'token', token: TOKEN };

interface Sent {
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

interface Server {
  readonly url: string;
  readonly sent: readonly Sent[];
}

const test = withFixture(
  'questions to a Paperless-ngx that is not set up yet',
  async (directory) => {
    const login = { username: 'admin', password: 'secret word' };
    const dms = await createSampleDms({ tokens: [TOKEN], storeDir: directory, login });
    const closers: (() => void)[] = [];
    return {
      directory,
      dms,
      ask: (address: string, account: Account, trusted: readonly string[] = [address]) =>
        askPaperless(address, account, { trusted, signal: new AbortController().signal }),
      serve: async (answer: RequestListener): Promise<Server> => {
        const sent: Sent[] = [];
        const server = createServer((request, response) => {
          const { url = '', headers } = request;
          const record = async (): Promise<void> => {
            sent.push({ url, authorization: headers.authorization, body: await text(request) });
            answer(request, response);
          };
          record().catch(() => response.destroy());
        });
        await once(server.listen(0, '127.0.0.1'), 'listening');
        closers.push(
          () => server.closeAllConnections(),
          () => server.close(),
        );
        return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
      },
      close: async () => {
        for (const close of closers) close();
        await dms.close();
      },
    };
  },
);

const keyOf = (asked: Asked): string => (asked.kind === 'broken' ? asked.message.key : asked.kind);

test('exchange a user and a password for a token that may add documents', async ({ dms, ask }) => {
  assert.equal(await ask(dms.url, LOGIN), { kind: 'good', address: dms.url, token: TOKEN });
  assert.equal(await ask(`${dms.url}/`, BY_TOKEN), {
    kind: 'good',
    address: dms.url,
    token: TOKEN,
  });
  const pasted = { kind: 'token', token: ` Authorization: Token ${TOKEN}\n` } as const;
  assert.is(keyOf(await ask(dms.url, pasted)), 'good');
  assert.equal(await ask(dms.url, NONE), { kind: 'answers', address: dms.url });
});

test('a system that accepts every token: the address alone is only checked, and the account is still exchanged', async ({
  directory,
  ask,
}) => {
  const tokens = [TOKEN, 'no-token-yet'];
  const login = { username: 'admin', password: 'secret word' };
  const open = await createSampleDms({ tokens, storeDir: directory, login });
  try {
    assert.equal(await ask(open.url, NONE), { kind: 'answers', address: open.url });
    assert.equal(await ask(open.url, LOGIN), { kind: 'good', address: open.url, token: TOKEN });
  } finally {
    await open.close();
  }
});

/** What a person enters wrongly, and the key of the message. */
const MISTAKES: readonly (readonly [address: string | undefined, account: Account, key: string])[] =
  [
    [TOKEN, NONE, 'paperless.is_token'],
    ['', NONE, 'paperless.not_an_address'],
    ['http://', NONE, 'paperless.not_an_address'],
    ['ftp://a', NONE, 'paperless.not_an_address'],
    ['http://user:word@a', NONE, 'paperless.not_an_address'],
    ['http://a/?next=x', NONE, 'paperless.not_an_address'],
    ['http://127.0.0.1:1', NONE, 'paperless.tcp'],
    [undefined, { ...LOGIN, password: 'wrong' }, 'paperless.wrong_login'],
    [undefined, { ...LOGIN, user: 'nobody' }, 'paperless.wrong_login'],
    [undefined, { kind: 'token', token: 'two words' }, 'paperless.not_a_token'],
    [undefined, { kind: 'token', token: 'a'.repeat(40) }, 'paperless.token'],
    [undefined, { kind: 'token', token: 'abc' }, 'paperless.token_length'],
  ];

for (const [address, account, key] of MISTAKES) {
  test(`${address ?? 'an account'} ${account.kind}: ${key}`, async ({ dms, ask }) => {
    assert.is(keyOf(await ask(address ?? dms.url, account)), key);
  });
}

test('the address of a page, or https where there is none, is explained', async ({ dms, ask }) => {
  const page = await ask(`${dms.url}/dashboard`, NONE);
  assert.is(keyOf(page), 'paperless.api_path');
  const text = page.kind === 'broken' ? textOf(page.message) : '';
  assert.match(text, new RegExp(`leave out what follows the host: ${dms.url}$`));
  assert.is(keyOf(await ask(dms.url.replace('http:', 'https:'), NONE)), 'paperless.no_tls');
});

/** Addresses of this machine, its link and groups, in the spellings of a URL. */
const REFUSED = [
  'http://127.0.0.1:8000',
  'http://127.1',
  'http://2130706433',
  'http://0x7f.0.0.1',
  'http://localhost:8000',
  'http://0.0.0.0',
  'http://[::1]:8000',
  'http://[::]',
  'http://[::ffff:127.0.0.1]',
  'http://169.254.169.254',
  'http://[::ffff:169.254.169.254]',
  'http://[fe80::1]',
  'http://[::127.0.0.1]:8000',
  'http://[::ffff:0:127.0.0.1]',
  'http://[64:ff9b::127.0.0.1]',
  'http://[64:ff9b::a9fe:a9fe]',
  'http://[64:ff9b:1::127.0.0.1]',
  'http://[2002:7f00:1::]',
  'http://[2002:a9fe:a9fe::1]',
  'http://127.0.0.1.',
  'http://0177.0.0.1',
  'http://0x7f000001',
  'http://0',
  'HTTP://LOCALHOST',
  'http://１２７.0.0.1',
  'http://127。0。0。1',
  'http://127.0.0.1\\@192.168.1.10',
  'http://127.0.0.1/#@192.168.1.10',
  'http://224.0.0.1',
  'http://255.255.255.255',
];

for (const address of REFUSED) {
  test(`${address} is not contacted unless the operator named it`, async ({ ask }) => {
    assert.is(keyOf(await ask(address, LOGIN, [])), 'paperless.local_address');
  });
}

test('addresses of a home network and of the internet may be contacted', () => {
  for (const address of [
    '192.168.1.10',
    '10.0.0.1',
    '172.16.0.1',
    '100.64.0.1',
    'fd00::1',
    '2a00::1',
    '::ffff:192.168.1.10',
    '64:ff9b::192.0.2.1',
    '2002:c000:201::1',
  ])
    assert.not(isRefused(address), address);
});

test('a name that resolves to a forbidden address is refused on connection', async () => {
  const lookUp = (host: string, all: boolean): Promise<unknown> =>
    new Promise((resolve) => {
      guardedLookup(host, { all }, (error, address) => resolve(error?.code ?? address));
    });
  assert.is(await lookUp('localhost', false), REFUSED_ADDRESS);
  assert.is(await lookUp('localhost', true), REFUSED_ADDRESS);
  assert.equal(await lookUp('192.168.1.10', true), [{ address: '192.168.1.10', family: 4 }]);
});

test('a name that is rebound between two requests is refused at the second', async ({ dms }) => {
  const { port } = new URL(dms.url);
  let lookups = 0;
  const rebinding: LookupFunction = (_, options, callback) => {
    lookups += 1;
    if (lookups > 1) return guardedLookup('localhost', options, callback);
    return callback(
      null,
      options.all === true ? [{ address: '127.0.0.1', family: 4 }] : '127.0.0.1',
      4,
    );
  };
  const asked = await askPaperless(`http://paperless.example:${port}`, LOGIN, {
    trusted: [],
    signal: new AbortController().signal,
    lookup: rebinding,
  });
  assert.is(keyOf(asked), 'paperless.local_address');
  assert.is(lookups, 2);
});

/** Where a redirect leads, from a server to another one. */
const LOCATIONS: Readonly<Record<string, (here: string, other: string) => string>> = {
  'another host': (_, other) => `${other}/api/token/`,
  'another host, without a scheme': (_, other) => `${other.replace('http:', '')}/api/token/`,
  'the same host': (here) => `${here}/api/token/elsewhere/`,
  'a file': () => 'file:///etc/passwd',
  'no address': () => 'http://[',
};

for (const status of [301, 302, 303, 307, 308]) {
  for (const [where, locationOf] of Object.entries(LOCATIONS)) {
    test(`a redirect (${status}) to ${where} is not followed, and no secret leaves`, async (given) => {
      const { ask, serve } = given;
      const target = await serve((_, response) => response.end(JSON.stringify({ token: TOKEN })));
      const redirecting = (response: ServerResponse, from: Server): unknown =>
        response.writeHead(status, { location: locationOf(from.url, target.url) }).end();
      const first: Server = await serve((_, response) => redirecting(response, first));
      for (const account of [LOGIN, NONE, BY_TOKEN]) {
        assert.is(keyOf(await ask(first.url, account)), 'paperless.api');
      }
      assert.ok(first.sent.every(({ body }) => !body.includes('secret word')));
      assert.equal(
        new Set(first.sent.map(({ url }) => url)),
        new Set(['/api/documents/post_document/']),
      );
      // Answers as Paperless-ngx at first, and gets the password.
      const second: Server = await serve((request, response) => {
        if (request.url === '/api/token/') return redirecting(response, second);
        return response.writeHead(401, JSON_TYPE).end('{"detail":"Invalid token."}');
      });
      assert.is(keyOf(await ask(second.url, LOGIN)), 'paperless.api');
      assert.is(second.sent.length, 2);
      assert.equal(target.sent, []);
    });
  }
}

const BOMB = gzipSync(Buffer.alloc(50_000_000));
const MANY = Array.from({ length: 3000 }, (_, one) => one);

/** Answers that do not come from Paperless-ngx. Their text must not be quoted. */
const FOREIGN: Readonly<Record<string, RequestListener>> = {
  'a page': (_, response) => response.setHeader('content-type', 'text/html').end('<b>INJECTED</b>'),
  JSON: (_, response) =>
    response.setHeader('content-type', 'application/json').end('{"detail":"INJECTED"}'),
  'an error': (_, response) => response.writeHead(500).end('INJECTED'),
  'without end': (_, response) => {
    response.writeHead(400, { 'content-type': 'text/html' });
    response.write('INJECTED'.repeat(100_000));
  },
  'a broken connection': (request) => request.socket.destroy(),
  'a body that breaks off': (request, response) => {
    response.writeHead(400, { ...JSON_TYPE, 'content-length': 1000 });
    response.write('{"INJECTED', () => request.socket.destroy());
  },
  'compressed zeros': (_, response) =>
    response.writeHead(400, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(BOMB),
  'large headers': (_, response) => response.writeHead(400, { x: 'INJECTED'.repeat(10_000) }).end(),
  'many headers': (_, response) =>
    response.writeHead(400, Object.fromEntries(MANY.map((one) => [`x-${one}`, 'INJECTED']))).end(),
  'deep JSON': (_, response) => response.writeHead(400, JSON_TYPE).end('['.repeat(60_000)),
  'JSON with a prototype': (_, response) =>
    response.writeHead(400, JSON_TYPE).end('{"__proto__":{"document":["INJECTED"]}}'),
  'another protocol': (request) => request.socket.end('SSH-2.0-INJECTED\r\n'),
  'a log-in of a router': (_, response) =>
    response
      .writeHead(401, { 'content-type': 'text/html', 'www-authenticate': 'Basic realm="router"' })
      .end('INJECTED'),
};

for (const [what, answer] of Object.entries(FOREIGN)) {
  test(`${what} is no Paperless-ngx: our own text says so, and no password leaves`, async ({
    ask,
    serve,
  }) => {
    const { url, sent } = await serve(answer);
    const asked = await ask(url, LOGIN);
    assert.is(keyOf(asked), 'paperless.api');
    if (asked.kind !== 'broken') return;
    assert.not.match(textOf(asked.message) + textOf(asked.message, 'de'), 'INJECTED');
    assert.ok(sent.every(({ body }) => !body.includes('secret word')));
    assert.ok(sent.every(({ url: path }) => path.startsWith('/api/')));
  });
}

test('a system that does not answer in time is slow, and perhaps a Paperless-ngx', async (given) => {
  const { ask, serve } = given;
  const { url } = await serve((request) => void request.socket.write('HTTP/1.1 400 INJECTED'));
  assert.is(keyOf(await ask(url, LOGIN)), 'paperless.slow');
  const atLogIn = await serve((request, response) => {
    if (request.url === '/api/token/') return;
    response.writeHead(401, JSON_TYPE).end('{"detail":"Invalid token."}');
  });
  assert.is(keyOf(await ask(atLogIn.url, LOGIN)), 'paperless.slow');
});

test('an address is only accepted if settings and profiles accept it', async ({ dms, ask }) => {
  for (const page of ['/a|b', "/a'b"])
    assert.is(keyOf(await ask(dms.url + page, NONE)), 'paperless.not_an_address', page);
});

const LOGINS: Readonly<Record<string, readonly [status: number, body: object]>> = {
  'paperless.wrong_login': [400, { non_field_errors: ['Unable to log in INJECTED'] }],
  'paperless.mfa': [400, { non_field_errors: ['MFA code is required'] }],
  'paperless.throttled': [429, { detail: 'Request was throttled.' }],
  'paperless.api': [200, { token: { INJECTED: true } }],
};

for (const [key, [status, body]] of Object.entries(LOGINS)) {
  test(`a log-in that is answered ${status}: ${key}`, async ({ ask, serve }) => {
    const { url } = await serve((request, response) => {
      const isLogIn = request.url === '/api/token/';
      const refusal = { detail: 'Invalid token.' };
      response
        .writeHead(isLogIn ? status : 401, { 'content-type': 'application/json' })
        .end(JSON.stringify(isLogIn ? body : refusal));
    });
    const asked = await ask(url, LOGIN);
    assert.is(keyOf(asked), key);
    if (asked.kind === 'broken') assert.not.match(textOf(asked.message), 'INJECTED');
  });
}
