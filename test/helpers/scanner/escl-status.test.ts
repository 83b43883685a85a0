import { mkdir, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import path from 'node:path';
import { Failure } from '../../../helpers/failure.ts';
import { explainWithEscl } from '../../../helpers/scanner/explain-with-escl.ts';
import { esclAddress, readAdfState } from '../../../helpers/scanner/escl-status.ts';
import { readSensors } from '../../../helpers/scanner/sensors.ts';
import { PAGES_DIR } from '../../../simulators/pages/manifest.ts';
import { createVirtualScanner } from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import { serve } from '../../support/serve.ts';
import { assert, failure, suite, temporaryDirectory } from '../../support/suite.ts';

const test = suite('the status of a network scanner');

const NEVER = new AbortController().signal;

test('the virtual scanner reports paper in the feeder', async () => {
  const scanner = await createVirtualScanner();
  try {
    assert.is(await readAdfState(scanner.url, NEVER), false);
    scanner.load([path.join(PAGES_DIR, 'invoice.jpg')]);
    assert.is(await readAdfState(`${scanner.url}/`, NEVER), true);
    scanner.setFault({ kind: 'coverOpen' });
    assert.is(await readAdfState(scanner.url, NEVER), undefined);
  } finally {
    await scanner.close();
  }
});

async function answeredBy<T>(
  answer: RequestListener,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const { url, close } = await serve(answer);
  try {
    return await use(`${url}/eSCL`);
  } finally {
    await close();
  }
}

const readFrom = (answer: RequestListener): Promise<boolean | undefined> =>
  answeredBy(answer, (url) => readAdfState(url, NEVER));

function status(state: string, adf: string): RequestListener {
  const xml = `<s:ScannerStatus><pwg:State>${state}</pwg:State>${adf}<s:Jobs><s:State>Idle</s:State></s:Jobs></s:ScannerStatus>`;
  return (_, response) => response.end(xml);
}

test('the state of a feeder is unknown during any scan, or if not reported', async () => {
  const loaded = '<scan:AdfState>ScannerAdfLoaded</scan:AdfState>';
  assert.is(await readFrom(status('Idle', loaded)), true);
  assert.is(await readFrom(status('Processing', loaded)), undefined);
  assert.is(await readFrom(status('Idle', '')), undefined);
  assert.is(await readFrom(status('Idle', loaded.replace('Loaded', 'Processing'))), undefined);
  assert.is(await readFrom((_, response) => response.end('\0\xff nonsense')), undefined);
  const unclosed = `<pwg:State>${' '.repeat(200_000)}`;
  assert.is(await readFrom((_, response) => response.end(unclosed)), undefined);
});

/** Redirects clients from a numeric address to a host name, as ipp-usb does. */
function insistingOn(name: string, answer: RequestListener): RequestListener {
  return (request, response) => {
    const { host = '' } = request.headers;
    if (!host.startsWith('127.0.0.1')) return answer(request, response);
    const Location = `http://${host.replace('127.0.0.1', name)}${request.url}`;
    return response.writeHead(302, { Location }).end();
  };
}

test('a device that insists on the name of this machine is asked there, and no other machine', async () => {
  const loaded = status('Idle', '<scan:AdfState>ScannerAdfLoaded</scan:AdfState>');
  assert.is(await readFrom(insistingOn('localhost', loaded)), true);
  for (const name of ['other.test', '127.0.0.1']) {
    const { message } = await failure('no_scanner_detected', readFrom(insistingOn(name, loaded)));
    assert.match(message, 'status 302');
  }
});

test('a scanner without status is a failure that names its address', async () => {
  const broken: readonly [RequestListener, RegExp][] = [
    [(_, response) => response.writeHead(503).end(), /status 503/],
    [(request) => request.socket.destroy(), /ECONNRESET/],
    [
      (_, response) => {
        const more = (): void => void response.write('x'.repeat(65_536), more);
        more();
      },
      /without an end/,
    ],
  ];
  for (const [answer, reason] of broken) {
    const { message } = await failure('no_scanner_detected', readFrom(answer));
    assert.match(message, /^The scanner at http:\/\/127\.0\.0\.1:\d+\/eSCL does not report/);
    assert.match(message, reason);
  }
});

test('the address comes from the device name or the configuration', async () => {
  const temporary = await temporaryDirectory();
  const extra = path.join(temporary.path, 'airscan.d');
  await mkdir(extra);
  const config = `# "Old" = http://10.0.0.1/eSCL\n[devices]\n"Büro 1" = http://10.0.0.2:80/eSCL, eSCL\nOffice = https://10.0.0.3/eSCL\n"Other" = http://10.0.0.4/wsd, WSD\n`;
  await writeFile(path.join(temporary.path, 'airscan.conf'), config);
  await writeFile(path.join(extra, 'more.conf'), '[devices]\n"More" = http://10.0.0.5/eSCL\n');
  const address = (device: string): Promise<string | undefined> =>
    esclAddress(device, `/nonexistent:${temporary.path}`);
  assert.is(await address('airscan:escl:Büro 1:http://10.0.0.9/eSCL'), 'http://10.0.0.9/eSCL');
  assert.is(await address('airscan:e0:Büro 1'), 'http://10.0.0.2:80/eSCL');
  assert.is(await address('airscan:e1:Office'), 'https://10.0.0.3/eSCL');
  assert.is(await address('airscan:e3:More'), 'http://10.0.0.5/eSCL');
  for (const device of ['airscan:e0:Old', 'airscan:e2:Other', 'airscan:w0:Office', 'test:0']) {
    assert.is(await address(device), undefined, device);
  }
  await temporary.remove();
});

test('a scanner has the same address whether it comes from a profile or from airscan.conf', async () => {
  const temporary = await temporaryDirectory();
  const empty = status('Idle', '<scan:AdfState>ScannerAdfEmpty</scan:AdfState>');
  await answeredBy(empty, async (url) => {
    await writeFile(path.join(temporary.path, 'airscan.conf'), `[devices]\n"Second" = ${url}\n`);
    const tool = { file: 'scanimage', env: { SANE_CONFIG_DIR: temporary.path } };
    for (const device of [
      'airscan:e0:Second',
      `airscan:escl:Second:${url}`,
      `airscan:escl:2:${url}/`,
    ]) {
      const { address, paper } = await readSensors(tool, device, NEVER);
      assert.equal([address, paper], [url, false], device);
    }
  });
  await temporary.remove();
});

const looks = suite('diagnosis of the address of a scanner that cannot be opened');

const FAILURE = new Failure('no_scanner_detected', 'The scanner cannot be opened.');

async function found(address: string): Promise<string> {
  const device = `airscan:escl:Office:${address}`;
  const failure = await explainWithEscl(FAILURE, { device, env: {} }, AbortSignal.timeout(20_000));
  return failure.message;
}

const foundAt = (answer: RequestListener): Promise<string> => answeredBy(answer, found);

async function foundAtNothing(): Promise<string> {
  const { url, close } = await serve(() => {});
  await close();
  return found(`${url}/eSCL`);
}

const NO_NAME = /^(?:Nothing in the network has the name|The name server does not answer)/;
const SAID: Readonly<Record<string, readonly [() => Promise<string>, RegExp]>> = {
  'an answer of 500': [
    () => foundAt((_request, response) => response.writeHead(500).end()),
    /^The scanner at 127\.0\.0\.1:\d+ answers with an error \(500\)\./,
  ],
  'no answer at all': [() => foundAt(() => {}), /does not answer\. Wake it/],
  'nothing at that address': [
    foundAtNothing,
    /^No scanner is at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Switch it on/,
  ],
  'a name that nobody has': [() => found('http://no-such-scanner.invalid/eSCL'), NO_NAME],
};
for (const [what, [look, said]] of Object.entries(SAID))
  looks(what, async () => assert.match(await look(), said));

looks('a scanner that answers, or has no address, keeps its failure', async () => {
  assert.is(await foundAt((_request, response) => response.end('<x/>')), FAILURE.message);
  const usb = { device: 'fujitsu:fi-7160:1', env: {} };
  assert.is(await explainWithEscl(FAILURE, usb, AbortSignal.timeout(1000)), FAILURE);
});
