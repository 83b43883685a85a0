import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
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
} from '../../../../simulators/virtual-scanner/virtual-scanner.ts';
import {
  FEEDER_OPTIONS,
  writeFakeScanimage,
  type FakeScanimage,
} from '../../../support/fake-scanimage/fake-scanimage.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import {
  NOBODY,
  type SelfTestBench,
  type Break,
  type Breaks,
  type FollowRemedy,
} from '../self-test-bench.ts';

const RIGHT = { source: 'ADF', mode: 'Gray', resolution: 100 };

const RUNTIME_MS = 60_000;
const SILENT_MS = 500;

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

function ask(bench: SelfTestBench, runtimeMs = RUNTIME_MS, scannerMs = RUNTIME_MS): void {
  const scanner = createScannerClient({ socketPath: bench.places.socket, log: capturedLog().log });
  bench.later(() => scanner.close());
  bench.change({ scanner, runtimeMs, scannerMs });
}

interface Scanners {
  readonly scanners: readonly VirtualScanner[];
  readonly restart: () => Promise<void>;
  readonly configure: (
    ...named: readonly { readonly name: string; readonly url: string }[]
  ) => Promise<string>;
}

const NAMES = ['Office', 'Attic'];

async function withScanners(bench: SelfTestBench, count: 1 | 2): Promise<Scanners> {
  const scanners = await Promise.all(NAMES.slice(0, count).map(() => createVirtualScanner({})));
  for (const scanner of scanners) bench.later(() => scanner.close());
  const directory = path.join(bench.directory, 'sane');
  const configure: Scanners['configure'] = (...named) => writeSaneConfig(directory, named);
  await configure(...scanners.map(({ url }, index) => ({ name: NAMES[index] ?? '', url })));
  const env = programEnvironment({ SANE_CONFIG_DIR: directory });
  const start = (): Promise<() => Promise<void>> => serve(bench, { file: 'scanimage', env });
  const stop = await start();
  ask(bench);
  const restart = async (): Promise<void> => {
    await stop();
    await start();
  };
  return { scanners, configure, restart };
}

async function withFake(bench: SelfTestBench, fake: FakeScanimage): Promise<() => Promise<void>> {
  const stop = await serve(bench, await writeFakeScanimage(bench.directory, fake));
  ask(bench);
  return stop;
}

const ONE = 'fake:0|ACME|Feeder 3000|scanner\n';

/** Puts something else in the runtime's place. The remedy removes it and starts a runtime. */
function inPlaceOfRuntime(begin: (socket: string) => Promise<() => unknown>): Break {
  return async (bench) => {
    const { socket } = bench.places;
    await mkdir(path.dirname(socket), { mode: 0o700 });
    const clear = await begin(socket);
    await bench.profile(RIGHT);
    ask(bench, SILENT_MS);
    return async () => {
      await clear();
      await withScanners(bench, 1);
    };
  };
}

function toScanner(
  happens: (scanner: VirtualScanner, bench: SelfTestBench) => Promise<FollowRemedy> | FollowRemedy,
): Break {
  return async (bench) => {
    const { scanners } = await withScanners(bench, 1);
    await bench.profile({ ...RIGHT, device: 'airscan:e0:Office' });
    const [scanner] = scanners;
    return scanner && (await happens(scanner, bench));
  };
}

/** Output of sane-find-scanner. Access to the machine's own USB hubs is denied, too. */
const DENIED = `could not open USB device 0x1d6b/0x0003 at 002:001: Access denied (insufficient permissions)
could not open USB device 0x04a9/0x1909 at 001:005: Access denied (insufficient permissions)`;
/** The output if the device rules of a container or unit deny access. */
const KEPT_AWAY = 'could not open USB device 0x04a9/0x1909 at 001:005: Input/output error';
const NO_DRIVER =
  'found possible USB scanner (vendor=0x04a9 [Canon], product=0x1909 [CanoScan]) at libusb:001:005';

/** A scanner without a driver: the output of sane-find-scanner, and the devices that SANE lists. */
function onUsb(printed: string, device = 'auto', devices = ''): Break {
  return async (bench) => {
    const program = path.join(bench.directory, 'sane-find-scanner');
    await writeFile(program, `#!/bin/sh\necho '${printed}'\n`, { mode: 0o755 });
    const cannot = `case "$*" in *--all-options*) echo "scanimage: open of device ${device} failed: Invalid argument" >&2; exit 1 ;; esac`;
    const stop = await withFake(bench, { devices, before: cannot });
    await bench.profile({ ...RIGHT, device });
    return async () => {
      // Restarts the runtime, which caches the devices it found for some seconds.
      await stop();
      await withFake(bench, { devices: ONE });
      await bench.profile(RIGHT);
    };
  };
}

export const SCANNER_BREAKS: Breaks = {
  'a scanner runtime that is not running: fail runtime: The scanner runtime is not running: nothing listens at …scanner.sock. Start it, and check that both parts have the same SCANNER_SOCKET…':
    inPlaceOfRuntime(async () => () => {}),
  'a scanner runtime that hangs: fail runtime: The scanner runtime did not … within … s. …restart it.':
    inPlaceOfRuntime(async (socket) => {
      const silent = createServer().listen(socket);
      await once(silent, 'listening');
      return () => silent.close();
    }),
  'a file where the socket should be: fail runtime: …scanner.sock is not a socket. Move it away, check SCANNER_SOCKET, and start the scanner runtime.':
    inPlaceOfRuntime(async (socket) => {
      await writeFile(socket, '');
      return () => rm(socket);
    }),
  'a socket of another user: fail runtime: The service, uid 65534, may not use the socket …Run the service and the scanner runtime as the same user.':
    async (bench) => {
      await withScanners(bench, 1);
      await bench.profile(RIGHT);
      await bench.elsewhere({ uid: NOBODY, runtime: true });
      return undefined;
    },

  'no scanner at all: fail scanner: No scanner was found. Switch it on, and check its cable and its driver. A scanner on the network is named by its address in the profile…':
    async (bench) => {
      const { scanners, configure, restart } = await withScanners(bench, 1);
      await bench.profile(RIGHT);
      await configure();
      return async () => {
        await configure({ name: 'Office', url: scanners[0]?.url ?? '' });
        await restart();
      };
    },
  'a scanner on the network that is switched off: fail scanner: No scanner is at 127.0.0.1:# (ECONNREFUSED). Switch it on.…':
    toScanner(async ({ port, close }, { later }) => {
      await close();
      return async () => {
        const again = await createVirtualScanner({ port });
        later(() => again.close());
      };
    }),
  'a scanner that hangs, or sleeps: warn scanner: The scanner did not answer within … s. Wake it at its display or cover; if that does not help, switch it off and on.':
    toScanner((scanner, bench) => {
      scanner.setFault({ kind: 'hang', where: 'capabilities' });
      ask(bench, RUNTIME_MS, 2 * SILENT_MS);
      return () => {
        scanner.setFault(null);
        ask(bench);
      };
    }),
  'a scanner that answers with an error: fail scanner: The scanner at 127.0.0.1:# answers with an error (500). Switch it off and on.…':
    toScanner((scanner) => {
      scanner.setFault({ kind: 'refuse', where: 'all' });
      return () => scanner.setFault(null);
    }),
  'several scanners, and no choice between them: fail scanner: Several scanners match "auto"…Set device in the profile to one of: Office, Attic.':
    async (bench) => {
      const { scanners, configure, restart } = await withScanners(bench, 2);
      await bench.profile(RIGHT);
      return async ({ remedy }) => {
        const device = /one of: ([^,.]+)/.exec(String(remedy))?.[1];
        await bench.profile({ ...RIGHT, device });
        // Swaps the scanners in the file: a name in a profile must not depend on its position there.
        const [office = '', attic = ''] = scanners.map(({ url }) => url);
        await configure({ name: 'Attic', url: attic }, { name: 'Office', url: office });
        await restart();
      };
    },

  'a source in another spelling: fail scanner.options: …does not accept source "ADF duplex". It offers Flatbed, ADF, ADF Duplex. Did you mean ADF Duplex?':
    async (bench) => {
      await withScanners(bench, 1);
      await bench.profile({ ...RIGHT, source: 'ADF duplex' });
      return ({ remedy }) => {
        const source = /Did you mean (.*)\?/.exec(String(remedy))?.[1];
        return bench.profile({ ...RIGHT, source });
      };
    },
  'a scanner that another program has: fail scanner: Another program is using the scanner. Close that program, then scan again.…':
    async (bench) => {
      const cannot = `[ -e "$FAKE_DIRECTORY/mended" ] || { echo "scanimage: open of device fake:0 failed: Device busy" >&2; exit 1; }`;
      await withFake(bench, { devices: '', before: cannot });
      await bench.profile({ ...RIGHT, device: 'fake:0' });
      return () => writeFile(path.join(bench.directory, 'mended'), '');
    },

  'a scanner on USB that nobody may open: fail scanner: … The scanner runtime may not open the USB device 0x04a9/0x1909 at 001:005: if that is the scanner, see deploy/udev…':
    onUsb(DENIED),
  'a scanner on USB that device rules keep away: fail scanner: … The scanner runtime may not open the USB device 0x04a9/0x1909 at 001:005: if that is the scanner, see deploy/udev…':
    onUsb(KEPT_AWAY),
  'the same, named by itself: fail scanner: … The scanner runtime may not open the USB device 0x04a9/0x1909 at 001:005: if that is the scanner, see deploy/udev…':
    onUsb(DENIED, 'fujitsu:fi-7160:1'),
  'the same beside one on the network: fail scanner: … The scanner runtime may not open the USB device 0x04a9/0x1909 at 001:005: if that is the scanner, see deploy/udev…':
    onUsb(DENIED, 'CanoScan', ONE),
  'a scanner on USB without a driver: fail scanner: … There is a scanner on USB that no driver claims, vendor=0x04a9 [Canon]… at libusb:001:005: install its driver…':
    onUsb(NO_DRIVER),
  'another scanner on USB, which has one: fail scanner: No scanner matches "Epson"; there are fake:0 (ACME Feeder 3000). Set device in the profile to one of: fake:0. Or switch the other scanner on.':
    onUsb(NO_DRIVER, 'Epson', ONE),
  'a scanner of another computer, where no saned runs: fail scanner: No saned answers on 127.66.0.1 (ECONNREFUSED). Start it there…':
    async (bench) => {
      const cannot = `[ -e "$FAKE_DIRECTORY/mended" ] || { echo "scanimage: open of device net:127.66.0.1:test:0 failed: Error during device I/O" >&2; exit 1; }`;
      await withFake(bench, { devices: '', before: cannot });
      await bench.profile({ ...RIGHT, device: 'net:127.66.0.1:test:0' });
      return () => writeFile(path.join(bench.directory, 'mended'), '');
    },
  'a driver whose area holds no page: warn scanner.options: The driver of the scanner lists a scanning area that no page fits into. Use the scanner by eSCL (AirPrint) instead…':
    async (bench) => {
      const pel = FEEDER_OPTIONS.replaceAll(/0\.\.\d+mm \[\d+\]/gu, '0..0.0046pel [0.0046]');
      const stop = await withFake(bench, { devices: ONE, options: pel });
      await bench.profile(RIGHT);
      return async () => {
        await stop();
        await withFake(bench, { devices: ONE });
      };
    },
  'an open cover, where the driver says so: warn scanner: The cover of fake:0 is open. Close it.':
    async (bench) => {
      const open = `${FEEDER_OPTIONS}    --cover-open[=(yes|no)] [yes] [hardware]\n`;
      const stop = await withFake(bench, { devices: ONE, options: open });
      await bench.profile(RIGHT);
      return async () => {
        await stop();
        await withFake(bench, { devices: ONE });
      };
    },
};
