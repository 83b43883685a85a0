import { createServer } from 'node:net';
import { once } from 'node:events';
import { Failure } from '../../../helpers/failure.ts';
import { sanedHost } from '../../../helpers/scanner/saned-link.ts';
import { explainWithSaned } from '../../../helpers/scanner/explain-with-saned.ts';
import { loopbackAddress } from '../../support/saned.ts';
import { assert, EVENT_MS, suite } from '../../support/suite.ts';

const test = suite('a scanner behind saned that cannot be opened');

const FAILURE = new Failure('no_scanner_detected', 'The scanner cannot be opened.', {
  facts: { device: 'net' },
});
const BUSY = new Failure('scanner_busy_elsewhere', 'It is in use.');
const ADDRESS = loopbackAddress();
const SANED_PORT = 6566;

function look(device: string, failure = FAILURE, stop?: AbortSignal): Promise<Failure> {
  return explainWithSaned(failure, device, stop ?? AbortSignal.timeout(EVENT_MS));
}

test('names the computer if no saned answers', async () => {
  const { what, remedy, code, facts } = await look(`net:${ADDRESS}:fujitsu:fi-7160:1`);
  assert.is(what, `No saned answers on ${ADDRESS} (ECONNREFUSED).`);
  assert.match(remedy ?? '', 'systemctl enable --now saned.socket');
  assert.equal([code, facts], [FAILURE.code, FAILURE.facts]);
});

test('names a computer that is not in the network', async () => {
  const { what } = await look('net:nowhere.invalid:test:0');
  assert.match(
    what,
    /^The computer nowhere\.invalid, which has the scanner, cannot be reached \(E/,
  );
});

test('does not change if saned answers, for other devices, and for other failures', async () => {
  const server = createServer((socket) => socket.destroy()).listen(SANED_PORT, ADDRESS);
  await once(server, 'listening');
  assert.is(await look(`net:${ADDRESS}:test:0`), FAILURE);
  const closed = once(server, 'close');
  server.close();
  await closed;
  assert.is(await look('airscan:e0:Office'), FAILURE);
  assert.is(await look(`net:${ADDRESS}:test:0`, BUSY), BUSY);
  assert.is(await look(`net:${ADDRESS}:test:0`, FAILURE, AbortSignal.abort()), FAILURE);
});

test('is recognized by its name', () => {
  for (const [device, host] of [
    ['net:desk:fujitsu:fi-7160:1', 'desk'],
    ['net:192.168.1.4:xerox_mfp:libusb:001:003', '192.168.1.4'],
    ['net:[::1]:test:0', '[::1]'],
    ['airscan:e0:net:desk:x', undefined],
    ['epson2:net:192.168.1.50', undefined],
  ] as const) {
    assert.is(sanedHost(device), host, device);
  }
});
