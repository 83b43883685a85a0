import { Failure } from '../../../helpers/failure.ts';
import type { Device, RunningScan } from '../../../helpers/ipc/messages.ts';
import {
  createScannerList,
  type ScannerListOptions,
} from '../../../service/scanner/scanner-list.ts';
import { assert, failure, suite } from '../../support/suite.ts';

const test = suite('the scanners to choose from');

const FEEDER = { name: 'fake:0', vendor: 'ACME', model: 'Feeder', type: 'scanner' };
const SCAN: RunningScan = { directory: '/scans/1', asked: 'auto', device: 'fake:0' };

interface Scripted {
  readonly list: ReturnType<typeof createScannerList>;
  /** How often SANE was asked for its devices. */
  readonly looks: () => number;
  readonly scanning: RunningScan[];
  /** What SANE lists. */
  readonly devices: Device[];
  /** What profiles name; none but `fake:0` answers. */
  readonly named: string[];
}

function scripted(kept: Pick<ScannerListOptions, 'keptMs' | 'incompleteKeptMs'> = {}): Scripted {
  let looks = 0;
  const scanning: RunningScan[] = [];
  const devices = [FEEDER];
  const named = ['auto', 'fake:0'];
  const list = createScannerList({
    namedDevices: () => named,
    ...kept,
    scanner: {
      scanning: async () => scanning,
      listDevices: async () => {
        looks += 1;
        return [...devices];
      },
      describeDevice: async (device, source) => {
        if (device !== 'fake:0') throw new Failure('no_scanner_detected', 'It is off.');
        const sources = ['Flatbed', 'ADF'];
        const resolutions = source === 'ADF' ? [300] : { min: 50, max: 600 };
        return {
          device,
          sources,
          source: source ?? 'Flatbed',
          modes: ['Gray'],
          resolutions,
          options: [],
        };
      },
    },
  });
  return { list, looks: () => looks, scanning, devices, named };
}

test('has what each source offers, and the devices that profiles name by their address', async () => {
  const { list, named } = scripted();
  named.push('net:printer:0');
  const { scanners } = await list(false);
  assert.equal(
    scanners.map(({ name, sources, problem }) => [name, sources.length, problem?.['error']]),
    [
      ['fake:0', 2, undefined],
      ['net:printer:0', 0, 'no_scanner_detected'],
    ],
  );
  assert.equal(scanners[0]?.sources[1]?.source, 'ADF');
  assert.equal(scanners[0]?.sources[1]?.resolutions, [300]);
});

test('is kept, until somebody asks for another look or it is too old; callers share a look', async () => {
  const { list, looks } = scripted();
  await Promise.all([list(false), list(false)]);
  await list(false);
  assert.is(looks(), 1);
  await list(true);
  assert.is(looks(), 2);
  const old = scripted({ keptMs: 0 });
  await old.list(false);
  await old.list(false);
  assert.is(old.looks(), 2);
});

test('is made again sooner while it is empty, or lacks what a scanner offers', async () => {
  const { list, looks, devices, named } = scripted({ incompleteKeptMs: 0 });
  devices.pop();
  named.pop();
  assert.equal((await list(false)).scanners, []);
  devices.push(FEEDER);
  named.push('net:printer:0');
  assert.is((await list(false)).scanners.length, 2);
  named.pop();
  assert.is((await list(false)).scanners.length, 1);
  await list(false);
  assert.is(looks(), 3);
});

test('never looks while a scan runs: it has what it found last, or refuses', async () => {
  const { list, looks, scanning } = scripted();
  scanning.push(SCAN);
  await failure('scanner_busy', list(false));
  scanning.pop();
  const { looked_at } = await list(false);
  scanning.push(SCAN);
  assert.is((await list(true)).looked_at, looked_at);
  assert.is(looks(), 1);
});
