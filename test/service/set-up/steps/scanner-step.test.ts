import { load } from 'js-yaml';
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { errorCode } from '../../../../helpers/error-code.ts';
import { Failure } from '../../../../helpers/failure.ts';
import type { DeviceDescription } from '../../../../helpers/ipc/messages.ts';
import { profileSchema } from '../../../../service/profiles/schema.ts';
import type { ListedScanner } from '../../../../service/scanner/scanner-list.ts';
import { fileText } from '../../../../service/set-up/profiles/profile-file.ts';
import { createAskLimit } from '../../../../service/set-up/steps/ask-limit.ts';
import {
  createScannerStep,
  type ScannerStep,
  type ScannerStepOptions,
} from '../../../../service/set-up/steps/scanner-step.ts';
import { guardedLookup } from '../../../../service/set-up/address-rule.ts';
import { createVirtualScanner } from '../../../../simulators/virtual-scanner/virtual-scanner.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { stepBench } from './step-bench.ts';

const SOURCE = {
  source: 'ADF',
  feeder: true,
  sides: ['one'],
  modes: ['Color', 'Gray'],
  resolutions: [300],
  max_page: null,
  options: [],
} as const;
const GLASS = { ...SOURCE, source: 'Flatbed', feeder: false } as const;

const listed = (more: Partial<ListedScanner>): ListedScanner => ({
  name: 'fake:0',
  vendor: 'ACME',
  model: 'Feeder',
  type: 'scanner',
  sources: [SOURCE, GLASS],
  problem: null,
  ...more,
});

const LIST = [
  listed({}),
  listed({ name: 'airscan:e0:Glass', vendor: 'eSCL', model: 'Glass', sources: [GLASS] }),
  listed({ name: 'v4l:/dev/video0' }),
  listed({ name: 'fake:off', problem: { error: 'no_scanner_detected', message: 'It is off.' } }),
  listed({ name: 'fake:busy', problem: { error: 'scanner_busy_elsewhere', message: 'Busy.' } }),
  listed({ name: 'fake:odd', problem: { error: 'scanner_error', message: 'It is odd.' } }),
];

const DESCRIPTION: DeviceDescription = {
  ...SOURCE,
  device: '',
  sources: ['ADF'],
  max_page: undefined,
};

/** Lets tests use servers on this machine. */
const OPEN = { lookup: guardedLookup, isRefused: () => false };

const test = withFixture('the step of the set-up that sets the scanner', async (directory) => {
  const bench = await stepBench(directory);
  const { files, settings, reload } = bench;
  const described: string[] = [];
  const closers: (() => void)[] = [];
  return {
    ...bench,
    described,
    step: (more: Partial<ScannerStepOptions> = {}): ScannerStep =>
      createScannerStep({
        scanner: {
          describeDevice: async (device) => {
            described.push(device);
            return DESCRIPTION;
          },
        },
        list: async () => ({ looked_at: '', scanners: LIST }),
        files,
        settings,
        reload,
        limit: createAskLimit(),
        ...more,
      }),
    /** A server that passes every request to `answer` and records its path. */
    serve: async (answer: RequestListener): Promise<{ at: string; asked: string[] }> => {
      const asked: string[] = [];
      const server = createServer((request, response) => {
        asked.push(request.url ?? '');
        answer(request, response);
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      closers.push(
        () => server.closeAllConnections(),
        () => server.close(),
      );
      return { at: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
    },
    close: async () => {
      for (const close of closers) close();
      await bench.close();
    },
  };
});

const problemOf = async (asked: Promise<unknown>): Promise<unknown> => {
  const error = await failure('no_scanner_detected', asked);
  assert.ok(error instanceof Failure);
  const { problem, text } = error.facts as { problem: string; text: Record<string, string> };
  assert.match(text['en'] ?? '', /./);
  assert.match(text['de'] ?? '', /./);
  return problem;
};

test('the step stores a scanner of the list under a name that lasts', async (given) => {
  const { step, settings, reloads, described } = given;
  const chosen = { device: 'Glass', name: 'Glass', kinds: ['glass'] };
  assert.equal(await step()('airscan:e0:Glass'), chosen);
  assert.equal(settings.current().scanner, chosen);
  assert.is(reloads(), 1);
  assert.equal(await step()('fake:0'), {
    device: 'fake:0',
    name: 'ACME Feeder',
    kinds: ['feeder', 'glass'],
  });
  assert.equal(described, []);
});

test('the default profile scans from the glass only while the scanner has no feeder', async (given) => {
  const { step, files } = given;
  await step()('airscan:e0:Glass');
  const profile = load(await files.read('profiles/default.yaml'));
  const { error, value } = profileSchema({
    output_dir: '/scans',
    dms_url: 'http://a',
    device: 'Glass',
    languages: ['deu'],
  }).validate(profile);
  assert.is(error, undefined);
  assert.equal(
    [value?.name, value?.source, value?.device, value?.processing.languages],
    ['default', 'Flatbed', 'Glass', ['deu']],
  );
  await step()('fake:0');
  assert.is(await files.read('profiles/default.yaml').catch(errorCode), 'ENOENT');
});

test('a default profile that a person wrote in Settings stays with every scanner', async (given) => {
  const { step, files } = given;
  const text = fileText('default', { label: 'Mine', destinations: [] });
  await files.write('profiles/default.yaml', text);
  for (const scanner of ['airscan:e0:Glass', 'fake:0']) {
    await step()(scanner);
    assert.is(await files.read('profiles/default.yaml'), text, scanner);
  }
});

test('the step finds a scanner at an address, asks only /eSCL/ there, and names it by its host', async (given) => {
  const { step, described, settings } = given;
  const scanner = await createVirtualScanner({ pages: [] });
  try {
    const { port } = scanner;
    const chosen = await step({ guard: OPEN })(`http://127.0.0.1:${port}/admin/delete`);
    const device = `airscan:escl:Scanner:http://127.0.0.1:${port}/eSCL`;
    assert.equal(chosen, { device, name: `127.0.0.1:${port}`, kinds: ['feeder'] });
    assert.equal(described, [device]);
    assert.is(settings.current().scanner?.device, device);
    assert.equal(scanner.state.requests, ['GET /eSCL/ScannerCapabilities']);
    assert.is((await step({ guard: OPEN })(` 127.0.0.1:${port} `)).device, device);
  } finally {
    await scanner.close();
  }
});

/** Addresses that nobody may ask through the appliance, and texts that are not addresses. */
const REFUSED: Readonly<Record<string, string>> = {
  '127.0.0.1': 'scanner.local_address',
  '127.1': 'scanner.local_address',
  '0x7f000001': 'scanner.local_address',
  '2130706433': 'scanner.local_address',
  'http://127.0.0.1:631/printers': 'scanner.local_address',
  'http://[::ffff:127.0.0.1]/': 'scanner.local_address',
  '::1': 'scanner.local_address',
  '169.254.169.254': 'scanner.local_address',
  'http://169.254.169.254/latest/meta-data': 'scanner.local_address',
  localhost: 'scanner.local_address',
  'localhost:8080': 'scanner.local_address',
  'file:///etc/passwd': 'scanner.not_an_address',
  'http://user:secret@192.168.1.5/': 'scanner.not_an_address',
  'http://192.168.1.5/?a=b': 'scanner.not_an_address',
  '192.168.1.5/admin': 'scanner.not_an_address',
  '192.168.1.5:99999': 'scanner.not_an_address',
  'net:127.0.0.1:fake': 'scanner.not_an_address',
  'v4l:/dev/video0': 'scanner.not_an_address',
  'airscan:escl:a:http://127.0.0.1/eSCL': 'scanner.not_an_address',
  '-h': 'scanner.not_an_address',
  'test:0:1': 'scanner.not_an_address',
  '': 'scanner.not_an_address',
  ' ': 'scanner.not_an_address',
};

for (const [wanted, problem] of Object.entries(REFUSED)) {
  test(`refuses ${JSON.stringify(wanted)}: ${problem}`, async ({ step, settings, described }) => {
    assert.is(await problemOf(step()(wanted)), problem);
    assert.equal(settings.current(), {});
    assert.equal(described, []);
  });
}

for (const wanted of [
  'http://user:secret@192.168.1.5/',
  'user:secret@192.168.1.5',
  'http://192.168.1.5/?token=secret',
  'ftp://a/#secret',
]) {
  test(`the refusal of ${wanted} does not repeat the secret in it`, async ({ step }) => {
    const error = await failure('no_scanner_detected', step()(wanted));
    assert.ok(error instanceof Failure);
    assert.not.match(JSON.stringify([error.message, error.facts]), 'secret');
  });
}

test('the step reports what answers instead of a scanner, follows no redirect and quotes nothing', async (given) => {
  const { step, serve } = given;
  const ask = step({ guard: OPEN });
  const target = await serve((_, response) => response.end('ScannerCapabilities'));
  const other = await serve((_, response) => response.end('<html>secret of the router</html>'));
  const redirect = await serve((_, response) => {
    response.writeHead(302, { Location: `http://${target.at}/eSCL/ScannerCapabilities` }).end();
  });
  for (const { at } of [other, redirect]) {
    const error = await failure('no_scanner_detected', ask(at));
    assert.ok(error instanceof Failure);
    assert.is(error.facts['problem'], 'scanner.other');
    assert.not.match(JSON.stringify([error.message, error.facts]), 'secret of the router');
  }
  assert.equal(target.asked, []);
  assert.is(await problemOf(ask('127.0.0.1:1')), 'scanner.tcp');
  assert.is(await problemOf(ask('no-such-host.invalid')), 'scanner.name');
});

test('the step reports why a scanner cannot be used', async ({ step, settings }) => {
  assert.is(await problemOf(step()('fake:off')), 'scanner.silent');
  assert.is(await problemOf(step()('fake:busy')), 'scanner.busy');
  const { facts } = await failure('no_scanner_detected', step()('fake:odd'));
  assert.is(facts['problem'], 'scanner.failed');
  assert.match(Object(facts['text'])['de'], /^Der Scanner meldet einen Fehler\./);
  assert.equal(settings.current(), {});
});

test('the step fails with scanner_busy while a scan is running', async ({ step }) => {
  const list = (): Promise<never> =>
    Promise.reject(new Failure('scanner_busy', 'A scan is running.'));
  await failure('scanner_busy', step({ list })('fake:0'));
});

test('a scanner that cannot be stored is refused, and another attempt succeeds', async ({
  step,
  files,
  settings,
}) => {
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
  const write = (): Promise<never> => Promise.reject(full);
  await failure('insufficient_storage', step({ files: { ...files, write } })('airscan:e0:Glass'));
  await failure('insufficient_storage', step({ settings: { change: write } })('fake:0'));
  assert.equal(settings.current(), {});
  assert.is((await step()('fake:0')).device, 'fake:0');
});
