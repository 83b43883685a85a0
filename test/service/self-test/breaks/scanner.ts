import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { programEnvironment } from '../../../../helpers/child-process.ts';
import { serveRequests } from '../../../../helpers/ipc/request-server.ts';
import { createScannerRuntime } from '../../../../helpers/scanner/runtime.ts';
import type { Scanimage } from '../../../../helpers/scanner/scanimage.ts';
import { createScannerClient } from '../../../../service/scanner/scanner-client.ts';
import {
  createVirtualScanner,
  writeSaneConfig,
  type VirtualScanner,
  type VirtualScannerOptions,
} from '../../../../simulators/virtual-scanner/virtual-scanner.ts';
import {
  FEEDER_OPTIONS,
  writeFakeScanimage,
  type FakeScanimage,
} from '../../../support/fake-scanimage/fake-scanimage.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { NOBODY, type SelfTestBench } from '../self-test-bench.ts';
import type { Break } from './break.ts';

const RIGHT = { source: 'ADF', mode: 'Gray', resolution: 100 };

/** How long the runtime may take to say that it is there, where it is, on a machine however busy; and where it is not. */
const RUNTIME_MS = 60_000;
const SILENT_MS = 500;

/** Has a runtime serve with this scanimage. Resolves with what stops it. */
async function serve(bench: SelfTestBench, scanimage: Scanimage): Promise<() => Promise<void>> {
  const { log } = capturedLog();
  const runtime = createScannerRuntime({ scanimage, limits: { pageTimeoutMs: 5000 }, log });
  const server = await serveRequests(bench.places.socket, runtime, log);
  let isOpen = true;
  const stop = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await runtime.close();
    await server.close();
  };
  bench.later(stop);
  return stop;
}

/** Asks whoever serves at the socket. */
function ask(bench: SelfTestBench, runtimeMs = RUNTIME_MS, scannerMs = RUNTIME_MS): void {
  const scanner = createScannerClient({ socketPath: bench.places.socket, log: capturedLog().log });
  bench.later(() => scanner.close());
  bench.change({ scanner, runtimeMs, scannerMs });
}

interface Scanners {
  readonly scanners: readonly VirtualScanner[];
  readonly stop: () => Promise<void>;
  /** Starts the runtime anew, once. */
  readonly restart: () => Promise<void>;
  /** Names the scanners in airscan.conf, as the operator does. */
  readonly configure: (
    ...named: readonly { readonly name: string; readonly url: string }[]
  ) => Promise<string>;
}

/** Real scanimage, and virtual scanners on the network, called Office, Attic and so on. */
async function withScanners(
  bench: SelfTestBench,
  ...options: readonly VirtualScannerOptions[]
): Promise<Scanners> {
  const scanners = await Promise.all(options.map((one) => createVirtualScanner(one)));
  for (const scanner of scanners) bench.later(() => scanner.close());
  const directory = path.join(bench.directory, 'sane');
  const configure: Scanners['configure'] = (...named) => writeSaneConfig(directory, named);
  await configure(
    ...scanners.map(({ url }, index) => ({ name: ['Office', 'Attic'][index] ?? '', url })),
  );
  const env = programEnvironment({ SANE_CONFIG_DIR: directory });
  const start = (): Promise<() => Promise<void>> => serve(bench, { file: 'scanimage', env });
  const stop = await start();
  ask(bench);
  const restart = async (): Promise<void> => {
    await stop();
    await start();
  };
  return { scanners, stop, configure, restart };
}

async function withFake(bench: SelfTestBench, fake: FakeScanimage): Promise<() => Promise<void>> {
  const stop = await serve(bench, await writeFakeScanimage(bench.directory, fake));
  ask(bench);
  return stop;
}

const ONE = 'fake:0|ACME|Feeder 3000|scanner\n';

const runtimes: readonly Break[] = [
  {
    what: 'a scanner runtime that is not running',
    check: 'fail runtime',
    says: /^The scanner runtime is not running: nothing listens at .*scanner\.sock\. Start it, and check that both parts have the same SCANNER_SOCKET/,
    break: async (bench) => {
      const { stop } = await withScanners(bench, {});
      await bench.profile(RIGHT);
      await stop();
      ask(bench, SILENT_MS);
      return () => withScanners(bench, {});
    },
  },
  {
    what: 'a scanner runtime that hangs',
    check: 'fail runtime',
    says: /^The scanner runtime did not (?:react|answer) within [\d.]+ s\. .*restart it\.$/,
    break: async (bench) => {
      const { stop } = await withScanners(bench, {});
      await bench.profile(RIGHT);
      await stop();
      await rm(bench.places.socket, { force: true });
      const silent = createServer().listen(bench.places.socket);
      bench.later(() => silent.close());
      await once(silent, 'listening');
      ask(bench, SILENT_MS);
      return async () => {
        silent.close();
        await withScanners(bench, {});
      };
    },
  },
  {
    what: 'a scanner runtime of another version',
    check: 'fail runtime',
    says: /does not understand\. Run both in the same version/,
    break: async (bench) => {
      const { log } = capturedLog();
      const other = {
        health: async () => ({ status: 'ok' as const, scanning: [], later: true }),
        list_devices: async () => [],
        describe_device: () => Promise.reject(new Error('not expected')),
        check_scan: () => Promise.reject(new Error('not expected')),
        read_sensors: () => Promise.reject(new Error('not expected')),
        scan: () => Promise.reject(new Error('not expected')),
      };
      await bench.profile(RIGHT);
      const server = await serveRequests(bench.places.socket, other, log);
      ask(bench);
      return async () => {
        await server.close();
        await withScanners(bench, {});
      };
    },
  },
  {
    what: 'a file where the socket should be',
    check: 'fail runtime',
    says: /scanner\.sock is not a socket\. Move it away, check SCANNER_SOCKET, and start the scanner runtime\.$/,
    break: async (bench) => {
      const { stop } = await withScanners(bench, {});
      await stop();
      await writeFile(bench.places.socket, '');
      ask(bench, SILENT_MS);
      await bench.profile(RIGHT);
      return async () => {
        await rm(bench.places.socket);
        await withScanners(bench, {});
      };
    },
  },
  {
    what: 'a socket of another user',
    check: 'fail runtime',
    says: /^The service, uid 65534, may not use the socket .*Run the service and the scanner runtime as the same user\.$/,
    break: async (bench) => {
      await withScanners(bench, {});
      await bench.profile(RIGHT);
      await bench.elsewhere({ uid: NOBODY, runtime: true });
      return undefined;
    },
  },
];

const networks: readonly Break[] = [
  {
    what: 'no scanner at all',
    check: 'fail scanner',
    says: /^No scanner was found\. Switch it on, and check its cable and its driver\. A scanner on the network is named by its address in the profile/,
    break: async (bench) => {
      const { scanners, configure, restart } = await withScanners(bench, {});
      await bench.profile(RIGHT);
      await configure();
      const url = scanners[0]?.url ?? '';
      return async () => {
        await configure({ name: 'Office', url });
        await restart();
      };
    },
  },
  {
    what: 'a scanner on the network that is switched off',
    check: 'fail scanner',
    says: /^No scanner is at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Switch it on\./,
    break: async (bench) => {
      const { scanners } = await withScanners(bench, {});
      await bench.profile({ ...RIGHT, device: 'airscan:e0:Office' });
      const port = scanners[0]?.port ?? 0;
      await scanners[0]?.close();
      return async () => {
        const again = await createVirtualScanner({ port });
        bench.later(() => again.close());
      };
    },
  },
  {
    what: 'a scanner that hangs, or sleeps',
    check: 'warn scanner',
    says: /^The scanner did not answer within [\d.]+ s\. Wake it at its display or cover; if that does not help, switch it off and on\.$/,
    break: async (bench) => {
      const { scanners } = await withScanners(bench, {});
      await bench.profile({ ...RIGHT, device: 'airscan:e0:Office' });
      scanners[0]?.setFault({ kind: 'hang', where: 'capabilities' });
      ask(bench, RUNTIME_MS, 2 * SILENT_MS);
      return () => {
        scanners[0]?.setFault(null);
        ask(bench);
      };
    },
  },
  {
    what: 'a scanner that answers with an error',
    check: 'fail scanner',
    says: /^The scanner at 127\.0\.0\.1:\d+ answers with an error \(500\)\. Switch it off and on\./,
    break: async (bench) => {
      const { scanners } = await withScanners(bench, {});
      await bench.profile({ ...RIGHT, device: 'airscan:e0:Office' });
      scanners[0]?.setFault({ kind: 'refuse', where: 'all' });
      return () => scanners[0]?.setFault(null);
    },
  },
  {
    what: 'a scanner of another name',
    check: 'fail scanner',
    says: /^No scanner matches "Epson"; there are .*Office.*Set device in the profile to one of: Office\. Or switch the other scanner on\.$/,
    break: async (bench) => {
      await withScanners(bench, {});
      await bench.profile({ ...RIGHT, device: 'Epson' });
      return ({ remedy }) =>
        bench.profile({ ...RIGHT, device: /one of: ([^,.]+)/.exec(remedy ?? '')?.[1] });
    },
  },
  {
    what: 'several scanners, and no choice between them',
    check: 'fail scanner',
    says: /^Several scanners match "auto".*Set device in the profile to one of: Office, Attic\.$/,
    break: async (bench) => {
      const { scanners, configure, restart } = await withScanners(bench, {}, {});
      await bench.profile(RIGHT);
      return async ({ remedy }) => {
        const device = /one of: ([^,.]+)/.exec(remedy ?? '')?.[1];
        await bench.profile({ ...RIGHT, device });
        // A name lasts; the position in the file does not.
        const [office, attic] = scanners.map(({ url }) => url);
        await configure({ name: 'Attic', url: attic ?? '' }, { name: 'Office', url: office ?? '' });
        await restart();
      };
    },
  },
];

/** What a profile asks for and the scanner does not have; `right` is what the remedy says. */
const options: readonly Break[] = (
  [
    [
      'a source in another spelling',
      { source: 'ADF duplex' },
      /does not accept source "ADF duplex"\. It offers Flatbed, ADF, ADF Duplex\. Did you mean ADF Duplex\?$/,
      { source: 'ADF Duplex' },
    ],
    [
      'a mode that it does not have',
      { mode: 'Grey' },
      /does not accept mode "Grey"\. It offers Color, Gray, Lineart\. Did you mean Gray\?$/,
      { mode: 'Gray' },
    ],
    [
      'a resolution that it does not have',
      { resolution: 190 },
      /resolution "190"\. It offers [\d, ]+\. Did you mean 200\?$/,
      { resolution: 200 },
    ],
    [
      'paper that is too large',
      { page_size: 'a3' },
      /page_size "297 x 420 mm".* set a smaller page_size/,
      { page_size: 'a4' },
    ],
    [
      'an option that it does not have',
      { scanner_options: { brightnes: 10 } },
      /no option brightnes that can be set\..*Did you mean brightness\?$/,
      { scanner_options: { brightness: 10 } },
    ],
  ] as const
).map(([what, wrong, says, right]) => ({
  what,
  check: 'fail scanner.options',
  says,
  break: async (bench) => {
    await withScanners(bench, {});
    await bench.profile({ ...RIGHT, ...wrong });
    return () => bench.profile({ ...RIGHT, ...right });
  },
}));

const unfit: Break = {
  what: 'both sides asked of a scanner that has one',
  check: 'fail scanner.options',
  says: /^Profile "default": The scanner does not accept source "ADF Duplex"\. It offers Flatbed, ADF\. Did you mean ADF\?$/,
  break: async (bench) => {
    await withScanners(bench, { inputs: ['Glass', 'Simplex'] });
    await bench.profile({ ...RIGHT, source: 'ADF Duplex' });
    return ({ remedy }) =>
      bench.profile({ ...RIGHT, source: /Did you mean (.*)\?/.exec(remedy ?? '')?.[1] });
  },
};

/** Why a device cannot be opened, in the words of its driver: what no network scanner can be made to say. */
const drivers: readonly Break[] = (
  [
    [
      'a scanner on USB that is switched off',
      'Error during device I/O',
      /^The scanner cannot be opened\. Switch the scanner on, check its cable/,
    ],
    [
      'a scanner that another program has',
      'Device busy',
      /^Another program is using the scanner\. Close that program, then scan again\./,
    ],
    [
      'a device that the runtime may not use',
      'Access to resource has been denied',
      /check that the scanner runtime may use it/,
    ],
    [
      'a network without discovery',
      'Out of memory',
      /Network discovery is not running here: name the scanner in airscan\.conf/,
    ],
  ] as const
).map(([what, reason, says]) => ({
  what,
  check: 'fail scanner',
  says,
  break: async (bench) => {
    const cannot = `[ -e "$FAKE_DIRECTORY/mended" ] || { echo "scanimage: open of device fake:0 failed: ${reason}" >&2; exit 1; }`;
    await withFake(bench, { devices: '', before: cannot });
    await bench.profile({ ...RIGHT, device: 'fake:0' });
    return () => writeFile(path.join(bench.directory, 'mended'), '');
  },
}));

/** As sane-find-scanner prints it: the hubs of the machine are denied, too. */
const DENIED = `could not open USB device 0x1d6b/0x0003 at 002:001: Access denied (insufficient permissions)
could not open USB device 0x04a9/0x1909 at 001:005: Access denied (insufficient permissions)`;
/** Where the device rules of a container or a unit forbid it. */
const KEPT_AWAY = 'could not open USB device 0x04a9/0x1909 at 001:005: Input/output error';
const NO_DRIVER =
  'found possible USB scanner (vendor=0x04a9 [Canon], product=0x1909 [CanoScan]) at libusb:001:005';
const MAY_NOT =
  / The scanner runtime may not open the USB device 0x04a9\/0x1909 at 001:005: if that is the scanner, see deploy\/udev/;

const usb: readonly Break[] = (
  [
    ['a scanner on USB that nobody may open', DENIED, {}, MAY_NOT],
    ['a scanner on USB that device rules keep away', KEPT_AWAY, {}, MAY_NOT],
    ['the same, named by itself', DENIED, { device: 'fujitsu:fi-7160:1' }, MAY_NOT],
    ['the same beside one on the network', DENIED, { device: 'CanoScan', devices: ONE }, MAY_NOT],
    [
      'a scanner on USB without a driver',
      NO_DRIVER,
      {},
      / There is a scanner on USB that no driver claims, vendor=0x04a9 \[Canon\].* at libusb:001:005: install its driver/,
    ],
    [
      'another scanner on USB, which has one',
      NO_DRIVER,
      { device: 'Epson', devices: ONE },
      /^No scanner matches "Epson"; there are fake:0 \(ACME Feeder 3000\)\. Set device in the profile to one of: fake:0\. Or switch the other scanner on\.$/,
    ],
  ] as const satisfies readonly (readonly [string, string, Place, RegExp])[]
).map(([what, lines, place, says]) => ({
  what,
  check: 'fail scanner',
  says,
  break: async (bench) => {
    const { device = 'auto', devices = '' }: Place = place;
    const program = path.join(bench.directory, 'sane-find-scanner');
    await writeFile(program, `#!/bin/sh\necho '${lines}'\n`, { mode: 0o755 });
    const cannot = `case "$*" in *--all-options*) echo "scanimage: open of device ${device} failed: Invalid argument" >&2; exit 1 ;; esac`;
    const stop = await withFake(bench, { devices, before: cannot });
    await bench.profile({ ...RIGHT, device });
    return async () => {
      // Otherwise what was found a moment ago counts for some seconds.
      await stop();
      await withFake(bench, { devices: ONE });
      await bench.profile(RIGHT);
    };
  },
}));

/** How the profile names its scanner, and which ones the drivers find. */
interface Place {
  readonly device?: string;
  readonly devices?: string;
}

const cover: Break = {
  what: 'an open cover, where the driver says so',
  check: 'warn scanner',
  says: /^The cover of fake:0 is open\. Close it\.$/,
  break: async (bench) => {
    const open = `${FEEDER_OPTIONS}    --cover-open[=(yes|no)] [yes] [hardware]\n`;
    const stop = await withFake(bench, { devices: ONE, options: open });
    await bench.profile(RIGHT);
    return async () => {
      await stop();
      await withFake(bench, { devices: ONE });
    };
  },
};

/** What is wrong with the way to the scanner. */
export const SCANNER_BREAKS: readonly Break[] = [
  ...runtimes,
  ...networks,
  ...options,
  unfit,
  ...drivers,
  ...usb,
  cover,
];
