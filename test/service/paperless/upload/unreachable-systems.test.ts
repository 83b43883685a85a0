import { connect, createServer as createTcpServer } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serve } from '../../../support/serve.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { createBench, errorOf, timedOut, type Bench } from './delivery-bench.ts';
import { createSelfSignedCertificate } from './self-signed-certificate.ts';

const test = withFixture(suite('systems that cannot be reached'), () => createBench());

test('a deadline that passes while a connection is made', async ({ deliver, destination }) => {
  const { signal, pass } = await timedOut();
  // Takes the connection, and says nothing in TLS.
  const silent = await serve(
    createTcpServer((socket) => void socket.on('error', () => {}).once('data', pass)),
  );
  const base_url = silent.url.replace('http', 'https');
  const delivery = await deliver({ destination: destination({ base_url }), signal });
  assert.is(errorOf(delivery), `The deadline passed while connecting to ${base_url}.`);
  assert.is(delivery.outcome, 'refused');
  await silent.close();
});

/** TLS in front of the sample, as a reverse proxy has it. */
async function terminateTls(
  bench: Bench,
  subject: { readonly key: string; readonly cert: string },
): Promise<{ readonly close: () => Promise<void>; readonly base_url: string }> {
  const server = createServer(subject, (socket) => {
    const upstream = connect(bench.dms.port, '127.0.0.1');
    socket.on('error', () => upstream.destroy()).pipe(upstream);
    upstream.on('error', () => socket.destroy()).pipe(socket);
  });
  const { close, url } = await serve(server);
  return { close, base_url: url.replace('http', 'https') };
}

test('a self-signed certificate is refused, with the way to trust it', async (bench) => {
  const { close, base_url } = await terminateTls(bench, createSelfSignedCertificate());
  const delivery = await bench.deliver({ destination: bench.destination({ base_url }) });
  assert.is(
    errorOf(delivery),
    `The TLS certificate of ${base_url} is self-signed. Give it to the service with NODE_EXTRA_CA_CERTS (see deploy/paperless).`,
  );
  assert.is(delivery.outcome, 'refused');
  assert.is(bench.dms.uploads().length, 0);
  await close();
});

test('a certificate that is trusted lets the document through', async (bench) => {
  const trusted = getCACertificates('default');
  const certificate = createSelfSignedCertificate();
  setDefaultCACertificates([...trusted, certificate.cert]);
  try {
    const { close, base_url } = await terminateTls(bench, certificate);
    const document = await bench.document('large.pdf', 3_000_000);
    const destination = bench.destination({ base_url });
    assert.is((await bench.deliver({ document, destination })).outcome, 'accepted');
    assert.is(bench.dms.uploads()[0]?.sha256, document.sha256);
    bench.dms.setFault({ kind: 'reset', when: 'after_body' });
    assert.is((await bench.deliver({ document, destination })).outcome, 'unknown');
    await close();
  } finally {
    setDefaultCACertificates(trusted);
  }
});

test.run();
