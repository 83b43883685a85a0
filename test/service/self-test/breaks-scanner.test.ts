import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { serveRequests } from '../../../helpers/ipc/request-server.ts';
import { createScannerRuntime } from '../../../helpers/scanner/runtime.ts';
import type { Scanimage } from '../../../helpers/scanner/scanimage.ts';
import type { Profile } from '../../../service/profiles/profile.ts';
import { createUnfitProfiles } from '../../../service/profiles/unfit-profiles.ts';
import { createScannerClient } from '../../../service/scanner/scanner-client.ts';
import {
  writeFakeScanimage,
  type FakeScanimage,
} from '../../support/fake-scanimage/fake-scanimage.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { createSelfTestBench, type SelfTestBench } from './self-test-bench.ts';

interface Bench extends SelfTestBench {
  /** The problems where a runtime with that scanimage serves, and a profile has these fields. */
  readonly with: (fake: FakeScanimage, fields?: object) => Promise<string>;
  /** The problems where nobody serves, or whoever was started before; it is waited for so long. */
  readonly without: (runtimeMs?: number) => Promise<string>;
}

const ONE = 'fake:0|ACME|Feeder 3000|scanner\n';
const RIGHT = { source: 'ADF', mode: 'Gray', resolution: 100 };

/** How long the runtime may take to say that it is there, where it is, on a machine however busy; and where it is not. */
const RUNTIME_MS = 60_000;
const SILENT_MS = 500;

const test = withFixture<Bench>(
  suite('what the self-test says of a broken way to the scanner'),
  async () => {
    const bench = await createSelfTestBench();
    const socketPath = path.join(bench.directory, 'run', 'scanner.sock');
    const { log } = capturedLog();
    const problems = async (fields: object, runtimeMs: number): Promise<string> => {
      const scanner = createScannerClient({ socketPath, log });
      try {
        const change = { scanner, socketPath, runtimeMs };
        return await bench.problems(change, bench.profile({ ...RIGHT, ...fields }));
      } finally {
        await scanner.close();
      }
    };
    return {
      ...bench,
      without: (runtimeMs = SILENT_MS) => problems({}, runtimeMs),
      with: async (fake, fields = {}) => {
        const scanimage: Scanimage = await writeFakeScanimage(bench.directory, fake);
        const runtime = createScannerRuntime({ scanimage, limits: { pageTimeoutMs: 5000 }, log });
        const server = await serveRequests(socketPath, runtime, log);
        const found = await problems(fields, RUNTIME_MS);
        await runtime.close();
        await server.close();
        return found;
      },
    };
  },
);

test('nothing is wrong with a healthy one', async (bench) => {
  assert.is(await bench.with({ devices: ONE }), '');
});

test('a runtime that is not running', async ({ without }) => {
  assert.match(
    await without(),
    /^fail runtime: The scanner runtime is not running: nothing listens at .*scanner\.sock\. Start it, and check that/,
  );
});

test('a runtime of another version', async ({ directory, without, with: withFake }) => {
  await withFake({ devices: ONE });
  const { log } = capturedLog();
  const other = {
    health: async () => ({ status: 'ok' as const, scanning: [], later: true }),
    list_devices: async () => [],
    describe_device: () => Promise.reject(new Error('not expected')),
    check_scan: () => Promise.reject(new Error('not expected')),
    read_sensors: () => Promise.reject(new Error('not expected')),
    scan: () => Promise.reject(new Error('not expected')),
  };
  const socketPath = path.join(directory, 'run', 'scanner.sock');
  const server = await serveRequests(socketPath, other, log);
  const found = await without(RUNTIME_MS);
  await server.close();
  assert.match(found, /^fail runtime: .* does not understand\. Run both in the same version/);
});

const UNFIT = new Failure(
  'scan_option_rejected',
  'The scanner does not accept source "ADF Duplex".',
  {
    remedy: 'It offers ADF.',
    facts: { option: 'source', value: 'ADF Duplex', valid_values: ['ADF'] },
  },
);

test('a shipped profile that does not fit is left out, and an own one is a problem', async (bench) => {
  const own = bench.profile({ ...RIGHT, name: 'own' });
  const duplex = bench.profile({ ...RIGHT, name: 'duplex', source: 'ADF Duplex' });
  const scanner = {
    health: () => Promise.resolve(),
    checkScan: ({ source }: { readonly source?: string | undefined }) =>
      source === 'ADF' ? Promise.resolve({ device: 'fake:0' }) : Promise.reject(UNFIT),
  };
  const { profiles } = bench.parts();
  const unfit = createUnfitProfiles();
  const found = (shipped: readonly string[], all: readonly Profile[]): Promise<string> =>
    bench.problems({
      scanner,
      unfit,
      profiles: { ...profiles, list: () => all, isShipped: (name) => shipped.includes(name) },
    });
  assert.is(await found(['duplex'], [duplex, own]), '');
  assert.match(unfit.reason('duplex') ?? '', 'ADF Duplex');
  assert.is(await found(['duplex', 'own'], [duplex, own]), '', 'one of the shipped ones fits');
  assert.match(await found(['duplex'], [duplex]), /^fail scanner\.options/, 'none is left');
  assert.match(await found([], [duplex, own]), /^fail scanner\.options: Profile "duplex"/);
  assert.is(unfit.reason('duplex'), undefined);
});

test('a scanner that only shipped profiles name is not missed', async (bench) => {
  const own = bench.profile({ ...RIGHT, name: 'own', device: 'Office' });
  const shipped = bench.profile({ ...RIGHT, name: 'receipts' });
  const scanner = {
    health: () => Promise.resolve(),
    checkScan: ({ device }: { readonly device: string }) =>
      device === 'Office'
        ? Promise.resolve({ device })
        : Promise.reject(new Failure('no_scanner_detected', 'Several scanners match "auto".')),
  };
  const { profiles } = bench.parts();
  const found = await bench.problems({
    scanner,
    profiles: {
      ...profiles,
      list: () => [own, shipped],
      isShipped: (name) => name === 'receipts',
    },
  });
  assert.is(found, '');
});

test('a socket that is something else', async ({ directory, without, with: withFake }) => {
  await withFake({ devices: ONE });
  const socketPath = path.join(directory, 'run', 'scanner.sock');
  await rm(socketPath, { force: true });
  await writeFile(socketPath, '');
  assert.match(await without(), /^fail runtime: /);
});

const BREAKS: readonly (readonly [string, FakeScanimage, object, RegExp])[] = [
  [
    'no scanner at all',
    { devices: '' },
    {},
    /^fail scanner: No scanner was found\. Switch it on, and check its cable and its driver/,
  ],
  [
    'a scanner of another name',
    { devices: ONE },
    { device: 'Epson' },
    /^fail scanner: No scanner matches "Epson"; there are fake:0 \(ACME Feeder 3000\)\. Set device/,
  ],
  [
    'several scanners, and no choice between them',
    { devices: `${ONE}fake:1|ACME|Feeder 4000|scanner\n` },
    {},
    /^fail scanner: Several scanners match "auto".*Set device in the profile to one of: fake:0, fake:1\./,
  ],
  [
    'a source in another spelling',
    { devices: ONE },
    { source: 'ADF duplex' },
    /^fail scanner\.options: Profile "default": The scanner does not accept source "ADF duplex"\. It offers Flatbed, ADF, ADF Duplex\. Did you mean ADF Duplex\?/,
  ],
  [
    'a mode that it does not have',
    { devices: ONE },
    { mode: 'Grey' },
    /^fail scanner\.options: .* mode "Grey"\. It offers Lineart, Gray, Color\. Did you mean Gray\?/,
  ],
  [
    'a resolution that it does not have',
    { devices: ONE },
    { resolution: 190 },
    /^fail scanner\.options: .* resolution "190"\. It offers 100, 200\. Did you mean 200\?/,
  ],
  [
    'paper that is too large',
    { devices: ONE },
    { page_size: 'a3' },
    /^fail scanner\.options: .* page_size "297 x 420 mm".* set a smaller page_size/,
  ],
  [
    'an option that it does not have',
    { devices: ONE },
    { scanner_options: { swcorp: true } },
    /^fail scanner\.options: .* no option swcorp .* Did you mean swcrop\?/,
  ],
];

for (const [what, fake, fields, expected] of BREAKS) {
  test(what, async (bench) => {
    assert.match(await bench.with(fake, fields), expected);
  });
}

/** A scanimage that cannot open the device, for a reason that it gives. */
const CLOSED: readonly (readonly [string, string, RegExp])[] = [
  [
    'a scanner that is switched off',
    'Error during device I/O',
    /^fail scanner: The scanner cannot be opened\. Switch the scanner on/,
  ],
  [
    'a scanner that another program has',
    'Device busy',
    /^fail scanner: Another program is using the scanner\. Close that program/,
  ],
  [
    'a device that the runtime may not use',
    'Access to resource has been denied',
    /^fail scanner: .* check that the scanner runtime may use it/,
  ],
  [
    'a network without discovery',
    'Out of memory',
    /^fail scanner: .*Network discovery is not running here: name the scanner in airscan\.conf/,
  ],
];

for (const [what, reason, expected] of CLOSED) {
  test(what, async (bench) => {
    const devices = '';
    const fails = `echo "scanimage: open of device fake:0 failed: ${reason}" >&2; exit 1`;
    const found = await bench.with({ devices, before: fails }, { device: 'fake:0' });
    assert.match(found, expected);
  });
}

for (const [what, line, expected] of [
  [
    'a scanner on USB that nobody may open',
    'could not open USB device 0x04a9/0x1909 at 001:005: Access denied (insufficient permissions)',
    /may not open the USB device 0x04a9\/0x1909 at 001:005: if that is the scanner, see deploy\/udev/,
  ],
  [
    'a scanner on USB without a driver',
    'found possible USB scanner (vendor=0x04a9 [Canon], product=0x1909 [CanoScan]) at libusb:001:005',
    /scanner on USB that no driver claims, vendor=0x04a9 \[Canon\].* at libusb:001:005: install its driver/,
  ],
] as const) {
  test(what, async (bench) => {
    const program = path.join(bench.directory, 'sane-find-scanner');
    await writeFile(program, `#!/bin/sh\necho '${line}'\n`, { mode: 0o755 });
    assert.match(await bench.with({ devices: '' }), expected);
  });
}

test.run();
