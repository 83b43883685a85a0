import { once } from 'node:events';
import { connect } from 'node:net';
import { startAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { shippedPage } from '../support/pages.ts';
import type { TestAnswer } from '../support/send-to.ts';
import { assert, suite, within } from '../support/suite.ts';

/** Of the service; the other parts: test/helpers/scanner/main, test/helpers/processor/main. */
const test = suite<{ appliance: Appliance }>('stopping');

test.before.each(async (context) => {
  context.appliance = await startAppliance({
    profiles: [{ name: 'default', source: 'ADF', resolution: 100 }],
  });
});

test.after.each(({ appliance }) => appliance.close());

/** Without it the end took more than 75 s; a busy machine needs some. */
const IDLE_STOP_MS = 20_000;

/** Of which a part is missing. */
const POST_WITHOUT_BODY =
  'POST /scan HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{';

const PAGE = shippedPage('blank-back-plain').file;

/** Begins a scan of three sheets, the last of which is not fed until the scanner is told to go on. */
async function scanUpToLastSheet(
  appliance: Appliance,
): Promise<{ readonly answer: Promise<TestAnswer> }> {
  appliance.scanner.load([PAGE, PAGE, PAGE]);
  appliance.scanner.setFault({ kind: 'wait', atPage: 3 });
  const scanned = appliance.service.nextLine(/"event":"scan_page".*"page":2,/);
  const answer = appliance.scan({});
  await scanned;
  return { answer };
}

test('the service finishes the scan in flight, takes no new one', async ({ appliance }) => {
  const scan = await scanUpToLastSheet(appliance);
  const { scans } = (await appliance.get('/scans')).json as { scans: { scan_id: string }[] };
  const path = `/scans/${scans[0]?.scan_id}/events`;
  const watched = appliance.get(path);
  const port = appliance.service.port();
  const unread = connect({ host: '127.0.0.1', port })
    .pause()
    .on('error', () => {});
  unread.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  const stopping = appliance.service.nextLine(/"event":"stopping"/);
  const exit = appliance.service.stop('SIGTERM');
  await stopping;
  const refused = await appliance.scan({});
  assert.is(refused.status, 503);
  assert.is(refused.json?.['error'], 'shutting_down');
  assert.is((await appliance.get('/health')).status, 200);

  appliance.scanner.setFault(null);
  const answer = await scan.answer;
  assert.is(answer.status, 200, answer.text);
  assert.is(answer.json?.['page_count'], 3);
  assert.match((await watched).text, /\nevent: result\ndata: {"status":200,.*\n\n$/);
  assert.is(await within(IDLE_STOP_MS, exit, 'the end of the service'), 0);
  unread.destroy();
});

test('a service that is stopped twice finishes the scan too', async ({ appliance }) => {
  const scan = await scanUpToLastSheet(appliance);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const told = appliance.service.nextLine(/"event":"stopping"/);
    process.kill(appliance.service.pid(), signal);
    await told;
  }
  const exit = appliance.service.stop('SIGTERM');
  appliance.scanner.setFault(null);
  const answer = await scan.answer;
  assert.is(answer.status, 200, answer.text);
  assert.is(answer.json?.['page_count'], 3);
  assert.is(await exit, 0);
});

for (const name of ['service', 'processor'] as const) {
  test(`the ${name} does not wait for connections that ask for nothing`, async ({ appliance }) => {
    const part = appliance[name];
    const sockets = ['', 'GET /health HTTP/1.1\r\nHost: 127', POST_WITHOUT_BODY].map((sent) => {
      const socket = connect({ host: '127.0.0.1', port: part.port() });
      socket.on('error', () => {});
      socket.write(sent);
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    assert.is(await within(IDLE_STOP_MS, part.stop('SIGTERM'), `the end of the ${name}`), 0);
    for (const socket of sockets) socket.destroy();
  });
}
