import { once } from 'node:events';
import { connect, createServer as createTcpServer } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates, type Server } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createNetworkFaultProxy } from '../../../support/network-fault-proxy.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { createBench, errorOf, SHORT_TIMEOUTS_MS, timedOut, type Bench } from './delivery-bench.ts';
import { createSelfSignedCertificate } from './self-signed-certificate.ts';

const test = withFixture(suite('systems that cannot be reached'), () => createBench());

test('a port that nobody listens on', async ({ dms, deliver, destination }) => {
  const base_url = 'http://127.0.0.1:1';
  const delivery = await deliver({ destination: destination({ base_url }) });
  assert.equal(delivery, {
    entry: {
      status: 'failed',
      error: `Connection refused at ${base_url}. Check that Paperless-ngx is running.`,
    },
    outcome: 'refused',
  });
  assert.is(dms.uploads().length, 0);
});

test('a deadline that passes while a connection is made', async ({ deliver, destination }) => {
  const { signal, pass } = await timedOut();
  // Takes the connection, and says nothing in TLS.
  const silent = createTcpServer((socket) => {
    socket.on('error', () => {}).once('data', pass);
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const base_url = `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const delivery = await deliver({ destination: destination({ base_url }), signal });
  assert.is(errorOf(delivery), `The deadline passed while connecting to ${base_url}.`);
  assert.is(delivery.outcome, 'refused');
  silent.close();
});

/** TLS in front of the sample, as a reverse proxy has it. */
async function terminateTls(
  bench: Bench,
  subject: { readonly key: string; readonly cert: string },
): Promise<{ readonly server: Server; readonly base_url: string }> {
  const server = createServer(subject, (socket) => {
    const upstream = connect(bench.dms.port, '127.0.0.1');
    socket.on('error', () => upstream.destroy()).pipe(upstream);
    upstream.on('error', () => socket.destroy()).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { server, base_url: `https://127.0.0.1:${port}` };
}

test('a self-signed certificate is refused, with the way to trust it', async (bench) => {
  const { server, base_url } = await terminateTls(bench, createSelfSignedCertificate());
  const delivery = await bench.deliver({ destination: bench.destination({ base_url }) });
  assert.is(
    errorOf(delivery),
    `The TLS certificate of ${base_url} is self-signed. Give it to the service with NODE_EXTRA_CA_CERTS (see deploy/paperless).`,
  );
  assert.is(delivery.outcome, 'refused');
  assert.is(bench.dms.uploads().length, 0);
  server.close();
});

test('a certificate that is trusted lets the document through', async (bench) => {
  const trusted = getCACertificates('default');
  const certificate = createSelfSignedCertificate();
  setDefaultCACertificates([...trusted, certificate.cert]);
  try {
    const { server, base_url } = await terminateTls(bench, certificate);
    const document = await bench.document('large.pdf', 3_000_000);
    const destination = bench.destination({ base_url });
    assert.is((await bench.deliver({ document, destination })).outcome, 'accepted');
    assert.is(bench.dms.uploads()[0]?.sha256, document.sha256);
    bench.dms.setFault({ kind: 'reset', when: 'after_body' });
    assert.is((await bench.deliver({ document, destination })).outcome, 'unknown');
    server.close();
  } finally {
    setDefaultCACertificates(trusted);
  }
});

test('https where only http is spoken', async ({ dms, deliver, destination }) => {
  const base_url = dms.url.replace('http:', 'https:');
  const delivery = await deliver({ destination: destination({ base_url }) });
  assert.match(errorOf(delivery), /does not speak TLS \(\w+\)\. Begin base_url with http:/);
  assert.is(delivery.outcome, 'refused');
});

test('a slow, chopped network only takes longer', async ({
  dms,
  deliver,
  destination,
  document,
}) => {
  const proxy = await createNetworkFaultProxy({ port: dms.port });
  const base_url = `http://127.0.0.1:${proxy.port}`;
  for (const toxic of [
    { kind: 'latency', ms: 20 },
    { kind: 'slicer', bytes: 100, ms: 1 },
    { kind: 'slow_close', ms: 100 },
  ] as const) {
    proxy.setToxic(toxic);
    const file = await document(`${toxic.kind}.pdf`, 2000);
    const delivery = await deliver({
      document: file,
      destination: destination({ base_url }),
    });
    assert.is(delivery.outcome, 'accepted', toxic.kind);
    assert.is(dms.uploads().at(-1)?.sha256, file.sha256);
  }
  await proxy.close();
});

test('a connection that is cut at any place never counts as accepted, nor as surely refused', async ({
  dms,
  deliver,
  destination,
}) => {
  const proxy = await createNetworkFaultProxy({ port: dms.port });
  const base_url = `http://127.0.0.1:${proxy.port}`;
  for (const kind of ['hang', 'limit', 'reset'] as const) {
    for (const [to, bytes] of [
      ['server', 1],
      ['server', 400],
      ['server', 700],
      ['client', 1],
      ['client', 60],
    ] as const) {
      proxy.setToxic({ kind, to, bytes });
      const delivery = await deliver({
        destination: destination({ base_url }),
        timeouts: { ...SHORT_TIMEOUTS_MS, connect: 60_000, socket: 100, read: 100 },
      });
      assert.is(delivery.outcome, 'unknown', `${kind} ${to} ${bytes}`);
    }
  }
  await proxy.close();
});

test.run();
