import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import path from 'node:path';
import { createProcessorClient } from '../../../../service/processor/processor-client.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { serve } from '../../../support/serve.ts';
import { createSelfSignedCertificate } from '../../paperless/upload/self-signed-certificate.ts';
import { TOKEN, type SelfTestBench, type Break, type Breaks } from '../self-test-bench.ts';

async function listen(
  server: Parameters<typeof serve>[0],
  { later }: SelfTestBench,
): Promise<number> {
  const { port, close } = await serve(server);
  later(close);
  return port;
}

function deliverTo(bench: SelfTestBench, base_url: string, fields: object = {}): Promise<void> {
  return bench.profile({ destinations: [{ kind: 'dms', base_url, ...fields }] });
}

function always(status: number, body = '', headers: object = {}): RequestListener {
  return (request, response) => {
    request.resume().on('end', () => response.writeHead(status, { ...headers }).end(body));
  };
}

const NO_FILE = '{"document":["No file was submitted."]}';
const JSON_TYPE = { 'content-type': 'application/json' };
const HTML = { 'content-type': 'text/html' };
const healthy = always(400, NO_FILE, JSON_TYPE);

const selfSigned = (certificate = createSelfSignedCertificate()): TcpServer =>
  createHttpsServer(certificate, healthy);

/** A wrong address, which the remedy replaces by the sample DMS's address. */
function at(addressOf: (bench: SelfTestBench) => string | Promise<string>): Break {
  return async (bench) => {
    await deliverTo(bench, await addressOf(bench));
    return () => deliverTo(bench, bench.sample.url);
  };
}

/** A server in place of Paperless-ngx, or a proxy that lets nothing through. */
function served(answer: Parameters<typeof serve>[0]): Break {
  return at(async (bench) => `http://127.0.0.1:${await listen(answer, bench)}`);
}

function account(
  user: object,
  follow: (bench: SelfTestBench) => unknown = ({ sample }) => sample.setUser({ token: TOKEN }),
): Break {
  return async (bench) => {
    bench.sample.setUser({ token: TOKEN, ...user });
    return () => follow(bench);
  };
}

function processorAt(url: string): Parameters<SelfTestBench['change']>[0] {
  const { log } = capturedLog();
  return { processor: createProcessorClient({ baseUrl: url, log }), processorUrl: url };
}

const versions = { ocrmypdf: '16' };
const HEALTH = { status: 'ok', versions, languages: ['eng'], workers: 2 } as const;
/** How long Paperless-ngx 3 waits for its worker before it answers. */
const PING_MS = 3000;
/** Slower than a healthy system, and still within the self-test's limit. In milliseconds. */
const SLOW_MS = 2600;
const HOUR_MS = 3_600_000;

export const SYSTEM_BREAKS: Breaks = {
  'a processor that does not run: fail processor: The processor at http://127.0.0.1:1/ cannot be reached. Check that it is running and that PROCESSOR_URL is right (ECONNREFUSED).':
    async (bench) => {
      bench.change(processorAt('http://127.0.0.1:1'));
      return () => bench.change({ processor: { health: async () => HEALTH } });
    },
  'a processor that is starting: warn processor: The processor is starting: it does not answer yet. Wait a minute, then look again.':
    async ({ change }) => {
      change({ ...processorAt('http://127.0.0.1:1'), upSeconds: () => 5 });
      return undefined;
    },
  'a processor that lost a language: fail processor.languages: The processor cannot read eng, which profile "default" names. Install the language (with Docker: OCR_LANGUAGES in .env, then docker compose up --detach --build; else the package tesseract-ocr-<language>), or choose among deu.':
    async ({ change, profile }) => {
      change({ processor: { health: async () => ({ ...HEALTH, languages: ['deu'] }) } });
      return () => profile({ processing: { ocr: false } });
    },

  'a host name that there is not: fail dms.name: The host name of http://paperless.invalid:8000 was not found (DNS). Check base_url.':
    at(() => 'http://paperless.invalid:8000'),
  'a name server that is down: fail dms.name: The name server does not answer: …Check the network and its DNS, or give the address in digits in base_url.':
    async (bench) => {
      const resolver = path.join(bench.directory, 'resolv.conf');
      // A loopback address without a name server.
      await writeFile(resolver, 'nameserver 127.0.0.254\n');
      await deliverTo(bench, 'http://paperless.example:8000');
      const mount = `mount --bind ${resolver} /etc/resolv.conf && exec "$@"`;
      await bench.elsewhere({ through: ['unshare', '--mount', 'sh', '-c', mount, 'sh'] });
      return () => deliverTo(bench, bench.sample.url);
    },
  'a port where nothing listens: fail dms.tcp: Connection refused at http://127.0.0.1:1. Check that Paperless-ngx is running.':
    at(() => 'http://127.0.0.1:1'),
  'a certificate that is self-signed: fail dms.tls: …is self-signed. Give it to the service with NODE_EXTRA_CA_CERTS (see deploy/paperless).':
    async (bench) => {
      const certificate = createSelfSignedCertificate();
      await deliverTo(bench, `https://127.0.0.1:${await listen(selfSigned(certificate), bench)}`);
      return async () => {
        const file = path.join(bench.directory, 'ca.pem');
        await writeFile(file, certificate.cert);
        await bench.elsewhere({ environment: { NODE_EXTRA_CA_CERTS: file } });
      };
    },
  'https where only http is spoken: fail dms.tls: …does not speak TLS …Begin base_url with http:// if that is intended.':
    at(({ sample }) => sample.url.replace('http:', 'https:')),
  'http where TLS is expected: fail dms.api: …Check base_url, and whether it must begin with https://.':
    served(selfSigned()),
  'a system that accepts connections and stays silent: fail dms.api: …accepted the connection but did not answer within 6.5 s. Check its log.':
    served(createTcpServer()),
  'a system that is slow: warn dms.api: It took 2.# s to answer. Documents are filed all the same. If it is always so, give it more memory…':
    served((...exchange) => void setTimeout(() => healthy(...exchange), SLOW_MS)),

  'another application at that address: fail dms.api: There is no API of Paperless-ngx at …(404 Not Found). Check base_url.':
    served(always(404, '<html><h1>Welcome to nginx</h1></html>', HTML)),
  'a path that is not the base: fail dms.api: …/paperless is not the API of Paperless-ngx …Check base_url, and that no reverse proxy…':
    at(({ sample }) => `${sample.url}/paperless`),
  'a server that takes anything: fail dms.api: …accepted an upload without a file (200): it is not Paperless-ngx. Check base_url.':
    served(always(200, '"597b92d5-fe9e-46cf-b7ee-18251b82a106"', JSON_TYPE)),
  'a proxy that sends everything to another address: fail dms.api: …redirects uploads to http://127.0.0.1:# (301). Set base_url to the final address of Paperless-ngx.':
    async (bench) => {
      const location = `${bench.sample.url}/api/documents/post_document/`;
      const port = await listen(always(301, '', { location }), bench);
      await deliverTo(bench, `http://127.0.0.1:${port}`);
      return ({ message, remedy }) => {
        const final = /uploads to (\S+) /.exec(`${message} ${remedy}`)?.[1] ?? '';
        return deliverTo(bench, final);
      };
    },
  'a proxy with a log-in page of its own: fail dms.api: …sends uploads to a log-in page, https://sso.example/login …Exempt /api/ from that log-in.':
    served(always(302, '', { location: 'https://sso.example/login' })),
  'a proxy whose Paperless-ngx is down: fail dms.api: The reverse proxy got no answer from Paperless-ngx (502 Bad Gateway). Check that Paperless-ngx is running.':
    served(always(502, '<h1>502 Bad Gateway</h1>', HTML)),
  'a proxy that takes the version of the API away: fail dms.version: …has no API version that this service knows, or a reverse proxy changes the Accept header …Check both.':
    served(always(406, '{"detail":"Invalid version in \\"Accept\\" header."}', JSON_TYPE)),
  'a release that is too old: warn dms.release: Paperless-ngx 2.14.7 is older than … Update it to 2.16 or newer.':
    served(always(400, NO_FILE, { ...JSON_TYPE, 'x-version': '2.14.7' })),
  'a clock that is an hour off: warn dms.clock: The clocks of this machine and of … differ by 3# s. Set both, or let NTP through.':
    served((request, response) => {
      const date = new Date(Date.now() - HOUR_MS).toUTCString();
      always(400, NO_FILE, { ...JSON_TYPE, date })(request, response);
    }),
  'a proxy with a limit for uploads: warn dms.upload_limit: …refuses uploads of 200 MB. Raise its limit, in nginx with client_max_body_size 1g.':
    served(
      createServer(healthy).on('checkContinue', (_, response) => response.writeHead(413).end()),
    ),
  'a worker that does not run, which takes seconds to find: warn dms.worker: Paperless-ngx accepts documents but does not file them. Check its broker (Redis) and its worker (Celery).':
    served((request, response) => {
      if (request.url !== '/api/status/') return healthy(request, response);
      const tasks = { redis_status: 'OK', celery_status: 'WARNING' };
      setTimeout(() => response.end(JSON.stringify({ tasks })), PING_MS);
    }),

  'a token that was revoked: fail dms.token: The API token was refused (401 Invalid token). Check the secret dms_api_token.':
    account({ token: 'another-token' }, ({ secretFile }) =>
      writeFile(secretFile, 'another-token\n'),
    ),
  'a user who may not add documents: fail dms.permission: The user of the token may not add documents …Grant that user the permission to add documents.':
    account({ permissions: ['view_tag'] }),
  'a tag with a slip of the pen: fail dms.metadata: Profile "default": There is no tag named "Invoce" in …Did you mean "Invoice"?':
    async (bench) => {
      await deliverTo(bench, bench.sample.url, { tags: ['Invoce'] });
      return () => deliverTo(bench, bench.sample.url, { tags: ['Invoice'] });
    },
};
