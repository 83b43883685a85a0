import { writeFile } from 'node:fs/promises';
import { createServer, request as forward, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import path from 'node:path';
import { createProcessorClient } from '../../../../service/processor/processor-client.ts';
import { createPart } from '../../../support/appliance/part.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { serve } from '../../../support/serve.ts';
import { createSelfSignedCertificate } from '../../paperless/upload/self-signed-certificate.ts';
import { TOKEN, type SelfTestBench } from '../self-test-bench.ts';
import type { Break, FollowRemedy } from './break.ts';

/** Closes a server in the end; resolves with its port. */
async function listen(
  server: Parameters<typeof serve>[0],
  { later }: SelfTestBench,
): Promise<number> {
  const { port, close } = await serve(server);
  later(close);
  return port;
}

/** A profile that delivers there. */
function deliverTo(bench: SelfTestBench, base_url: string, fields: object = {}): Promise<void> {
  return bench.profile({ destinations: [{ kind: 'dms', base_url, ...fields }] });
}

/** Answers every request in one way. */
function always(status: number, body: string, headers: object = {}): RequestListener {
  return (request, response) => {
    request.resume().on('end', () => response.writeHead(status, { ...headers }).end(body));
  };
}

/** What Paperless-ngx answers to an upload without a file. */
const NO_FILE = '{"document":["No file was submitted."]}';
const JSON_TYPE = { 'content-type': 'application/json' };
const HTML = { 'content-type': 'text/html' };
const healthy = always(400, NO_FILE, JSON_TYPE);

const selfSigned = (): TcpServer => createHttpsServer(createSelfSignedCertificate(), healthy);

/** An address where something else is than it should be; the remedy is the address of the sample. */
function atAddress(
  what: string,
  check: Break['check'],
  says: RegExp,
  addressOf: (bench: SelfTestBench) => string | Promise<string>,
): Break {
  return {
    what,
    check,
    says,
    break: async (bench) => {
      await deliverTo(bench, await addressOf(bench));
      return () => deliverTo(bench, bench.sample.url);
    },
  };
}

/** A server in the place of Paperless-ngx, over HTTP. */
function served(
  what: string,
  check: Break['check'],
  says: RegExp,
  answer: (bench: SelfTestBench) => RequestListener,
): Break {
  return atAddress(what, check, says, async (bench) => {
    return `http://127.0.0.1:${await listen(answer(bench), bench)}`;
  });
}

/** A reverse proxy before the sample; `rule` answers in its place where it returns true. */
function proxied(
  { sample }: SelfTestBench,
  rule: (...exchange: Parameters<RequestListener>) => boolean,
): RequestListener {
  return (request, response) => {
    if (rule(request, response)) return;
    const { method, url, headers } = request;
    const passed = forward({ port: sample.port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  };
}

/** A proxy with a mistake in its settings, which is corrected. */
function misconfigured(
  what: string,
  check: Break['check'],
  says: RegExp,
  rule: (...exchange: Parameters<RequestListener>) => boolean,
): Break {
  return {
    what,
    check,
    says,
    break: async (bench) => {
      let isWrong = true;
      const proxy = proxied(bench, (...exchange) => isWrong && rule(...exchange));
      await deliverTo(bench, `http://127.0.0.1:${await listen(proxy, bench)}`);
      return () => void (isWrong = false);
    },
  };
}

/** Answers in the place of the system behind a proxy. */
function answering(
  ...answer: Parameters<typeof always>
): (...exchange: Parameters<RequestListener>) => boolean {
  return (request, response) => {
    always(...answer)(request, response);
    return true;
  };
}

/** A system whose worker, asked for its state, is in this one. */
function withWorker(redis: string, celery: string, afterMs: number): RequestListener {
  return (request, response) => {
    if (request.url !== '/api/status/') return healthy(request, response);
    const tasks = { redis_status: redis, celery_status: celery };
    setTimeout(() => response.end(JSON.stringify({ tasks })), afterMs);
  };
}

/** Paperless-ngx 3 waits 3 s for its worker. In milliseconds. */
const PING_MS = 3000;
/** Longer than a system takes that is not slow; less than what the self-test waits. In milliseconds. */
const SLOW_MS = 2600;
const HOUR_MS = 3_600_000;

const network: readonly Break[] = [
  atAddress(
    'a host name that there is not',
    'fail dms.name',
    /^The host name of http:\/\/paperless\.invalid:8000 was not found \(DNS\)\. Check base_url\.$/,
    () => 'http://paperless.invalid:8000',
  ),
  {
    what: 'a name server that is down',
    check: 'fail dms.name',
    says: /^The name server does not answer: .*Check the network and its DNS, or give the address in digits in base_url\.$/,
    break: async (bench) => {
      const resolver = path.join(bench.directory, 'resolv.conf');
      // An address of loopback where no name server is.
      await writeFile(resolver, 'nameserver 127.0.0.254\n');
      await deliverTo(bench, 'http://paperless.example:8000');
      const mount = `mount --bind ${resolver} /etc/resolv.conf && exec "$@"`;
      await bench.elsewhere({ through: ['unshare', '--mount', 'sh', '-c', mount, 'sh'] });
      return () => deliverTo(bench, bench.sample.url);
    },
  },
  atAddress(
    'a port where nothing listens',
    'fail dms.tcp',
    /^Connection refused at http:\/\/127\.0\.0\.1:1\. Check that Paperless-ngx is running\.$/,
    () => 'http://127.0.0.1:1',
  ),
  {
    what: 'a certificate that is self-signed',
    check: 'fail dms.tls',
    says: /is self-signed\. Give it to the service with NODE_EXTRA_CA_CERTS \(see deploy\/paperless\)\.$/,
    break: async (bench) => {
      const certificate = createSelfSignedCertificate();
      const port = await listen(createHttpsServer(certificate, healthy), bench);
      await deliverTo(bench, `https://127.0.0.1:${port}`);
      const file = path.join(bench.directory, 'ca.pem');
      return async () => {
        await writeFile(file, certificate.cert);
        await bench.elsewhere({ environment: { NODE_EXTRA_CA_CERTS: file } });
      };
    },
  },
  {
    what: 'a certificate for another address',
    check: 'fail dms.tls',
    says: /is for another host name\. Check base_url\.$/,
    break: async (bench) => {
      const certificate = createSelfSignedCertificate();
      const port = await listen(createHttpsServer(certificate, healthy), bench);
      const file = path.join(bench.directory, 'ca.pem');
      await writeFile(file, certificate.cert);
      await bench.elsewhere({ environment: { NODE_EXTRA_CA_CERTS: file } });
      await deliverTo(bench, `https://localhost:${port}`);
      return () => deliverTo(bench, `https://127.0.0.1:${port}`);
    },
  },
  {
    what: 'https where only http is spoken',
    check: 'fail dms.tls',
    says: /does not speak TLS .*Begin base_url with http:\/\/ if that is intended\.$/,
    break: async (bench) => {
      await deliverTo(bench, bench.sample.url.replace('http:', 'https:'));
      return () => deliverTo(bench, bench.sample.url);
    },
  },
  atAddress(
    'http where TLS is expected',
    'fail dms.api',
    /Check base_url, and whether it must begin with https:\/\/\.$/,
    async (bench) => `http://127.0.0.1:${await listen(selfSigned(), bench)}`,
  ),
  atAddress(
    'a system that accepts connections and stays silent',
    'fail dms.api',
    /accepted the connection but did not answer within 6\.5 s\. Check its log\.$/,
    async (bench) => `http://127.0.0.1:${await listen(createTcpServer(), bench)}`,
  ),
  misconfigured(
    'a system that is slow',
    'warn dms.api',
    /^It took 2\.\d s to answer\. Documents are filed all the same\. If it is always so, give it more memory/,
    (request, response) => {
      setTimeout(() => healthy(request, response), SLOW_MS);
      return true;
    },
  ),
];

const applications: readonly Break[] = [
  served(
    'another application at that address',
    'fail dms.api',
    /^There is no API of Paperless-ngx at .*\(404 Not Found\)\. Check base_url\.$/,
    () => always(404, '<html><h1>Welcome to nginx</h1></html>', HTML),
  ),
  atAddress(
    'a path that is not the base',
    'fail dms.api',
    /\/paperless is not the API of Paperless-ngx .*Check base_url, and that no reverse proxy/,
    ({ sample }) => `${sample.url}/paperless`,
  ),
  served(
    'a server that takes anything',
    'fail dms.api',
    /accepted an upload without a file \(200\): it is not Paperless-ngx\. Check base_url\.$/,
    () => always(200, '"597b92d5-fe9e-46cf-b7ee-18251b82a106"', JSON_TYPE),
  ),
  {
    what: 'a proxy that sends everything to another address',
    check: 'fail dms.api',
    says: /redirects uploads to http:\/\/127\.0\.0\.1:\d+ \(301\)\. Set base_url to the final address of Paperless-ngx\.$/,
    break: async (bench) => {
      const location = `${bench.sample.url}/api/documents/post_document/`;
      const port = await listen(always(301, '', { location }), bench);
      await deliverTo(bench, `http://127.0.0.1:${port}`);
      return ({ message, remedy }) => {
        const final = /uploads to (\S+) /.exec(`${message} ${remedy}`)?.[1] ?? '';
        return deliverTo(bench, final);
      };
    },
  },
  misconfigured(
    'a proxy with a log-in page of its own',
    'fail dms.api',
    /sends uploads to a log-in page, https:\/\/sso\.example\/login .*Let it pass requests to \/api\/ on without a log-in\.$/,
    answering(302, '', { location: 'https://sso.example/login' }),
  ),
  misconfigured(
    'a proxy that asks for a password',
    'fail dms.token',
    /asks for a log-in of its own \(401 Unauthorized\)\. Let it pass requests to \/api\/ on without one\.$/,
    answering(401, '<h1>401</h1>', { ...HTML, 'www-authenticate': 'Basic realm="home"' }),
  ),
  misconfigured(
    'a proxy that forbids everything',
    'fail dms.api',
    /is not the API of Paperless-ngx \(403 .*and that no reverse proxy refuses \/api\/\.$/,
    answering(403, '<html><h1>403 Forbidden</h1></html>', HTML),
  ),
  misconfigured(
    'a proxy whose Paperless-ngx is down',
    'fail dms.api',
    /^The reverse proxy got no answer from Paperless-ngx \(502 Bad Gateway\)\. Check that Paperless-ngx is running\.$/,
    answering(502, '<h1>502 Bad Gateway</h1>', HTML),
  ),
  misconfigured(
    'a system under maintenance',
    'fail dms.api',
    /got no answer from Paperless-ngx \(503 .*Check that Paperless-ngx is running\.$/,
    answering(503, '<h1>Be right back</h1>', HTML),
  ),
  misconfigured(
    'a proxy that takes the version of the API away',
    'fail dms.version',
    /has no API version that this service knows, or a reverse proxy changes the Accept header .*Check both\.$/,
    answering(406, '{"detail":"Invalid version in \\"Accept\\" header."}', JSON_TYPE),
  ),
  served(
    'a release that is too old',
    'warn dms.release',
    /^Paperless-ngx 2\.14\.7 is older than .* Update it to 2\.16 or newer\.$/,
    () => always(400, NO_FILE, { ...JSON_TYPE, 'x-version': '2.14.7' }),
  ),
  served(
    'a clock that is an hour off',
    'warn dms.clock',
    /^The clocks of this machine and of .* differ by 3[56]\d\d s\. Set both, or let NTP through\.$/,
    () => (request, response) => {
      const date = new Date(Date.now() - HOUR_MS).toUTCString();
      always(400, NO_FILE, { ...JSON_TYPE, date })(request, response);
    },
  ),
  {
    what: 'a proxy with a limit for uploads',
    check: 'warn dms.upload_limit',
    says: /refuses uploads of 200 MB\. Raise its limit, in nginx with client_max_body_size 1g\.$/,
    break: async (bench) => {
      const server = createServer(healthy);
      server.on('checkContinue', (_, response) => void response.writeHead(413).end());
      await deliverTo(bench, `http://127.0.0.1:${await listen(server, bench)}`);
      return () => {
        server.removeAllListeners('checkContinue');
        server.on('checkContinue', (request, response) => {
          response.writeContinue();
          healthy(request, response);
        });
      };
    },
  },
  served(
    'a broker that is down',
    'warn dms.worker',
    /^Paperless-ngx accepts documents but does not file them\. Check its broker \(Redis\) and its worker \(Celery\)\.$/,
    () => withWorker('ERROR', 'ERROR', 0),
  ),
  served(
    'a worker that does not run, which takes seconds to find',
    'warn dms.worker',
    /^Paperless-ngx accepts documents but does not file them\. Check its broker/,
    () => withWorker('OK', 'WARNING', PING_MS),
  ),
];

/** Another account, or other metadata, at the sample; `right` is what the remedy says. */
function account(
  what: string,
  check: Break['check'],
  says: RegExp,
  {
    user = {},
    fields = {},
    right,
  }: {
    readonly user?: object;
    readonly fields?: object;
    readonly right?: (bench: SelfTestBench) => ReturnType<FollowRemedy>;
  },
): Break {
  return {
    what,
    check,
    says,
    break: async (bench) => {
      bench.sample.setUser({ token: TOKEN, ...user });
      await deliverTo(bench, bench.sample.url, fields);
      return () => (right ? right(bench) : bench.sample.setUser({ token: TOKEN }));
    },
  };
}

const accounts: readonly Break[] = [
  account(
    'a token that was revoked',
    'fail dms.token',
    /^The API token was refused \(401 Invalid token\)\. Check the secret dms_api_token\.$/,
    {
      user: { token: 'another-token' },
      right: ({ secretFile }) => writeFile(secretFile, 'another-token\n'),
    },
  ),
  account(
    'a user who was disabled',
    'fail dms.token',
    /^The API token was refused \(401 User inactive or deleted\)\. Check the secret/,
    { user: { active: false } },
  ),
  account(
    'a user who may not add documents',
    'fail dms.permission',
    /^The user of the token may not add documents .*Grant that user the permission to add documents\.$/,
    { user: { permissions: ['view_tag'] } },
  ),
  account(
    'a user who may not see tags that are named',
    'fail dms.metadata',
    /may not view tags\. Grant that permission, or give the id instead of the name\.$/,
    {
      user: { permissions: ['add_document'] },
      fields: { tags: ['Tax'] },
      right: (bench) => deliverTo(bench, bench.sample.url, { tags: [4] }),
    },
  ),
  account(
    'a user who may not create what is missing',
    'fail dms.metadata',
    /The tag "Brand new" cannot be created .* may not add tags: grant that permission, or create it yourself\.$/,
    {
      user: { permissions: ['add_document', 'view_tag'] },
      fields: { tags: ['Brand new'], create_missing: true },
    },
  ),
  account(
    'a tag with a slip of the pen',
    'fail dms.metadata',
    /^Profile "default": There is no tag named "Invoce" in .*Did you mean "Invoice"\?$/,
    {
      fields: { tags: ['Invoce'] },
      right: (bench) => deliverTo(bench, bench.sample.url, { tags: ['Invoice'] }),
    },
  ),
  account(
    'an id that is not there',
    'fail dms.metadata',
    /There is no correspondent with the id 99 in .*Correct the id, or give the name instead\.$/,
    {
      fields: { correspondent: 99 },
      right: (bench) => deliverTo(bench, bench.sample.url, { correspondent: 'Tax Office' }),
    },
  ),
  account(
    'an id that is written as a name',
    'fail dms.metadata',
    /There is no tag named "4" in .* If you mean the id of "Tax", write 4 without quotes\.$/,
    {
      fields: { tags: ['4'] },
      right: (bench) => deliverTo(bench, bench.sample.url, { tags: [4] }),
    },
  ),
];

/** A processor at this address. */
function processorAt(url: string): Parameters<SelfTestBench['change']>[0] {
  const { log } = capturedLog();
  return { processor: createProcessorClient({ baseUrl: url, log }), processorUrl: url };
}

const versions = { ocrmypdf: '16' };

const processors: readonly Break[] = [
  {
    what: 'a processor that does not run',
    check: 'fail processor',
    says: /^The processor at http:\/\/127\.0\.0\.1:1\/ cannot be reached\. Check that it is running and that PROCESSOR_URL is right \(ECONNREFUSED\)\.$/,
    break: async ({ change, later }) => {
      change(processorAt('http://127.0.0.1:1'));
      return async () => {
        const processor = createPart('the processor', 'helpers/processor/main.ts', () => ({
          PORT: '0',
        }));
        await processor.start();
        later(() => processor.stop());
        change(processorAt(`http://127.0.0.1:${processor.port()}`));
      };
    },
  },
  {
    what: 'a processor that is starting',
    check: 'warn processor',
    says: /^The processor is starting: it does not answer yet\. Wait a minute, then look again\.$/,
    break: async ({ change }) => {
      change({ ...processorAt('http://127.0.0.1:1'), upSeconds: () => 5 });
      return undefined;
    },
  },
  {
    what: 'something else at PROCESSOR_URL',
    check: 'fail processor',
    says: /answered with a body that is not its health.*PROCESSOR_URL/,
    break: async (bench) => {
      const port = await listen(always(200, 'hello'), bench);
      bench.change(processorAt(`http://127.0.0.1:${port}`));
      return undefined;
    },
  },
  {
    what: 'a processor that lost a language',
    check: 'fail processor.languages',
    says: /^The processor cannot read eng, which profile "default" names\. Install the language \(with Docker: OCR_LANGUAGES in \.env, then docker compose up --detach --build; else the package tesseract-ocr-<language>\), or choose among deu\.$/,
    break: async ({ change, profile }) => {
      const health = { status: 'ok', versions, languages: ['deu'], workers: 2 } as const;
      change({ processor: { health: async () => health } });
      return () => profile({ processing: { ocr: false } });
    },
  },
];

/** What is wrong with the processor, Paperless-ngx, and the way there. */
export const SYSTEM_BREAKS: readonly Break[] = [
  ...processors,
  ...network,
  ...applications,
  ...accounts,
];
