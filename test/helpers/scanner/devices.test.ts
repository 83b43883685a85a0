import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { Failure } from '../../../helpers/failure.ts';
import type { ScanRequest } from '../../../helpers/ipc/messages.ts';
import { createDevices, type Devices } from '../../../helpers/scanner/devices.ts';
import {
  FEEDER_OPTIONS,
  writeFakeScanimage,
  type FakeScanimage,
} from '../../support/fake-scanimage/fake-scanimage.ts';
import { REQUEST as PLAIN } from './device-samples.ts';
import { serve } from '../../support/serve.ts';
import {
  assert,
  EVENT_MS,
  failure,
  rejection,
  until,
  withFixture,
  within,
} from '../../support/suite.ts';

const test = withFixture('the devices of a machine', async (directory) => {
  const read = (name: string): Promise<string> => readFile(path.join(directory, name), 'utf8');
  return {
    directory,
    devices: async (fake: FakeScanimage = {}): Promise<Devices> =>
      createDevices(await writeFakeScanimage(directory, { devices: ONE, ...fake })),
    /** Lines that the fake scanimage wrote; `calls` holds its arguments. */
    lines: async (name: string): Promise<string[]> =>
      (await read(name)).split('\n').filter(Boolean),
    lists: async (): Promise<number> => (await read('calls')).match(/^--formatted/gm)?.length ?? 0,
    begun: () => until(async () => (await readdir(directory)).includes('opened'), 'the look'),
  };
});

const NEVER = new AbortController().signal;
const ONE = 'fake:0|ACME|Feeder 3000|scanner\n';
const TWO = `${ONE}fake:1|ACME|Feeder 4000|scanner\n`;
const REQUEST: ScanRequest = {
  ...PLAIN,
  device: 'fake:0',
  source: 'ADF',
  resolution: 100,
  directory: '/nowhere',
};

async function using(
  devices: Devices,
  device = 'fake:0',
  changes: Partial<ScanRequest> = {},
): Promise<{ name: string; done: () => Promise<void> }> {
  const request = { ...REQUEST, device, ...changes };
  const ready = Promise.withResolvers<string>();
  const end = Promise.withResolvers<void>();
  const used = devices.withDevice(request, NEVER, async ({ name }) => {
    ready.resolve(name);
    await end.promise;
  });
  used.catch(ready.reject);
  const name = await within(EVENT_MS, ready.promise, 'the device');
  const done = async (): Promise<void> => {
    end.resolve();
    await used;
  };
  return { name, done };
}

test('a device with its SANE name is opened without a device search', async (bench) => {
  const devices = await bench.devices({ devices: TWO });
  const { name, done } = await using(devices);
  await done();
  assert.is(name, 'fake:0');
  assert.equal(await bench.lines('calls'), [
    '--device-name=fake:0 --source=ADF --mode=Gray --all-options',
  ]);
});

test('other names cause a device search, shared by a check and the scans right after it', async (bench) => {
  const devices = await bench.devices();
  await devices.check({ ...REQUEST, device: 'auto' }, NEVER);
  for (const device of ['auto', 'feeder 3000']) {
    const { name, done } = await using(devices, device);
    await done();
    assert.is(name, 'fake:0');
  }
  assert.is(await bench.lists(), 1);
});

test('a second scan of a device is refused at once, however it is named', async (bench) => {
  const devices = await bench.devices();
  for (const named of ['fake:0 fake:0', 'auto auto', 'auto fake:0', 'acme auto']) {
    const [first, second] = named.split(' ');
    const { done } = await using(devices, first);
    const refused = using(devices, second);
    const { message, facts } = await failure('scanner_busy', refused);
    assert.match(message, 'Wait until that scan has finished');
    assert.is(facts['busy_with'], path.basename(REQUEST.directory));
    assert.equal(devices.scanning(), [
      { directory: REQUEST.directory, asked: first, device: 'fake:0' },
    ]);
    await done();
  }
});

test('a device is free after its scan, even a failed one', async (bench) => {
  const devices = await bench.devices();
  const broken = devices.withDevice(REQUEST, NEVER, () => Promise.reject(new Error('broken')));
  await rejection(broken);
  await failure('scan_option_rejected', using(devices, 'fake:0', { source: 'adf' }));
  const { done } = await using(devices, 'auto');
  await done();
  const again = await using(devices);
  await again.done();
});

test('another device can scan at the same time', async (bench) => {
  const devices = await bench.devices({ devices: TWO });
  const first = await using(devices);
  const second = await using(devices, 'fake:1');
  await second.done();
  await first.done();
});

test('no device search runs during a scan: the last list is returned', async (bench) => {
  const devices = await bench.devices();
  const listed = await devices.list(NEVER);
  const { done } = await using(devices);
  const before = (await bench.lines('calls')).length;
  assert.equal(await devices.list(NEVER), listed);
  await failure('scanner_busy', devices.describe({ device: 'auto' }, NEVER));
  await failure('scanner_busy', devices.describe({ device: 'fake:0' }, NEVER));
  assert.is((await bench.lines('calls')).length, before);
  await done();
  await devices.describe({ device: 'auto' }, NEVER);
});

test('without an earlier list, a device search during a scan fails as scanner_busy', async (bench) => {
  const devices = await bench.devices();
  const { done } = await using(devices);
  await failure('scanner_busy', devices.list(NEVER));
  await failure('scanner_busy', using(devices, 'auto'));
  await done();
  assert.is((await devices.list(NEVER)).length, 1);
});

/** The first scanimage takes this long to open its device; later ones open it immediately. */
const slowOnce = (seconds: number): string =>
  `if mkdir "$FAKE_DIRECTORY/opened" 2>/dev/null; then sleep ${seconds}; fi`;
const SLOW_ONCE = slowOnce(60);
/** Takes half a second, then records its arguments in a file. */
const SLOW_AND_FINISHED = `${slowOnce(0.5)}; echo "$*" >> "$FAKE_DIRECTORY/finished"`;

const LOOKS: Readonly<Record<string, (devices: Devices) => Promise<unknown>>> = {
  list: (devices) => devices.list(NEVER),
  description: (devices) => devices.describe({ device: 'fake:0' }, NEVER),
  check: (devices) => devices.check(REQUEST, NEVER),
};

for (const [name, look] of Object.entries(LOOKS)) {
  test(`a running or queued ${name} does not delay a scan`, async (bench) => {
    const devices = await bench.devices({ before: SLOW_ONCE });
    const looks = [look, look].map((one) => failure('scanner_busy', one(devices)));
    await bench.begun();
    const started = performance.now();
    const { done } = await using(devices);
    assert.ok(performance.now() - started < 10_000);
    for (const { facts } of await Promise.all(looks)) assert.is(facts['busy_with'], 'nowhere');
    await done();
  });
}

test('a scan with device auto uses a device search in progress', async (bench) => {
  const devices = await bench.devices({
    devices: ONE,
    before: SLOW_ONCE.replace('60', '0.5'),
  });
  const listed = devices.list(NEVER);
  await bench.begun();
  const { name, done } = await using(devices, 'auto');
  assert.equal([name, (await listed).length], ['fake:0', 1]);
  await done();
});

/**
 * The first scanimage hangs until `release` is written, even if signaled: its child keeps the
 * output open.
 */
const HANGS_ONCE = `if mkfifo "$FAKE_DIRECTORY/release" 2>/dev/null; then
  setsid sh -c 'mkdir "$FAKE_DIRECTORY/opened"; read -r line < "$FAKE_DIRECTORY/release"' & wait; fi`;

for (const device of ['fake:0', 'fake:1']) {
  test(`a scan of fake:0 does not wait for a hanging look at ${device}`, async (bench) => {
    const devices = await bench.devices({ before: HANGS_ONCE });
    const checked = devices.check({ ...REQUEST, device }, NEVER);
    const outcome = device === 'fake:0' ? failure('scanner_busy', checked) : checked;
    await bench.begun();
    const { done } = await using(devices);
    // The scan got its device while the first scanimage was hanging, which ends only now.
    await writeFile(path.join(bench.directory, 'release'), '\n');
    await outcome;
    await done();
    await devices.endQueries(new Failure('scanner_busy', 'The test has ended.'));
  });
}

test('a scanner that does not open at once after an interrupted look gets a second try', async (bench) => {
  const confused = `${SLOW_ONCE}; if [ -d "$FAKE_DIRECTORY/opened" ] && mkdir "$FAKE_DIRECTORY/again" 2>/dev/null; then
    echo "scanimage: open of device fake:0 failed: Error during device I/O" >&2; exit 1; fi`;
  const devices = await bench.devices({ before: confused });
  const looked = failure('scanner_busy', devices.describe({ device: 'fake:0' }, NEVER));
  await bench.begun();
  const { done } = await using(devices);
  await Promise.all([looked, done()]);
});

test('an aborted request does not end the scanimage that opens a device', async (bench) => {
  const devices = await bench.devices({ before: SLOW_AND_FINISHED });
  const cancel = new AbortController();
  const looked = rejection(devices.describe({ device: 'fake:0' }, cancel.signal));
  await bench.begun();
  cancel.abort(new Error('given up'));
  assert.match(String(await looked), 'given up');
  await devices.describe({ device: 'fake:0' }, NEVER);
  const finished = await bench.lines('finished');
  assert.is(finished.length, 2);
});

const SENSORS = `${FEEDER_OPTIONS}    --page-loaded[=(yes|no)] [yes] [hardware]
    --scan[=(yes|no)] [no] [hardware]
    --function <int> [3] [hardware]
`;

test('sensors of the selected device are read together with the number of scans so far', async (bench) => {
  const devices = await bench.devices({ options: SENSORS });
  const reading = { device: 'fake:0', paper: true, function: 3, scans: 0 };
  const sensors = { 'page-loaded': true, scan: false };
  assert.equal(await devices.readSensors({ device: 'auto' }, NEVER), { ...reading, sensors });
  const { done } = await using(devices);
  await done();
  const { scans } = await devices.readSensors({ device: 'fake:0' }, NEVER);
  assert.is(scans, 1);
  await devices.readSensors({ device: 'auto' }, NEVER);
  assert.is(await bench.lists(), 1, 'the list that is known');
});

test('sensors are not read during a scan or another look', async (bench) => {
  const devices = await bench.devices({ devices: TWO, options: SENSORS });
  const { done } = await using(devices);
  const { facts } = await failure('scanner_busy', devices.readSensors({ device: 'fake:0' }, NEVER));
  assert.equal(facts, { device: 'fake:0', busy_with: 'nowhere' });
  assert.is((await devices.readSensors({ device: 'fake:1' }, NEVER)).scans, 0);
  await done();
  const described = devices.describe({ device: 'fake:0' }, NEVER);
  const refused = await failure('scanner_busy', devices.readSensors({ device: 'fake:1' }, NEVER));
  assert.equal(refused.facts, { looking: true });
  await described;
});

test('a scan waits for a reading of sensors without interrupting the device', async (bench) => {
  const devices = await bench.devices({ options: SENSORS, before: SLOW_AND_FINISHED });
  const read = devices.readSensors({ device: 'fake:0' }, NEVER);
  await bench.begun();
  const { done } = await using(devices);
  assert.is((await read).paper, true);
  const finished = await bench.lines('finished');
  assert.is(finished[0], '--device-name=fake:0 --all-options');
  await done();
});

test('a device that takes a minute to open delays a scan by seconds', async (bench) => {
  const hanging = `trap '' INT; ${SLOW_ONCE}`;
  const devices = await bench.devices({ options: SENSORS, before: hanging });
  const read = failure('scanner_busy', devices.readSensors({ device: 'fake:0' }, NEVER));
  await bench.begun();
  const started = performance.now();
  const interrupted = read.then(() => performance.now() - started);
  const { done } = await using(devices);
  assert.ok(performance.now() - started < 10_000);
  // Killing a program that ignores SIGINT takes another second; a scan waits two seconds at most.
  const ms = await interrupted;
  assert.ok(ms < 1900, `${ms}`);
  assert.is((await read).facts['busy_with'], 'nowhere');
  await done();
});

test('a network scanner that does not report its status delays no scan', async (bench) => {
  const devices = await bench.devices({ options: SENSORS });
  const silent = createServer();
  const asked = once(silent, 'connection');
  const { url, close } = await serve(silent);
  const device = `airscan:escl:Silent:${url}/eSCL`;
  const read = failure('scanner_busy', devices.readSensors({ device }, NEVER));
  await within(EVENT_MS, asked, 'the question');
  try {
    const started = performance.now();
    const interrupted = read.then(() => performance.now() - started);
    const { done } = await using(devices);
    const ms = await interrupted;
    await done();
    // For a USB scanner, scanimage would have been given a second to stop.
    assert.ok(ms < 900, `${ms}`);
    assert.equal((await read).facts, { busy_with: 'nowhere' }, 'the scan of another scanner');
  } finally {
    await close();
  }
});

test('a device that returned under another name is searched for', async (bench) => {
  const options = SENSORS;
  const gone = `case "$*" in --formatted*) ;; *fake:0*) [ -e "$FAKE_DIRECTORY/gone" ] && {
    echo "scanimage: open of device fake:0 failed: Invalid argument" >&2; exit 1; };; esac`;
  const fake = { devices: 'fake:0|ACME|Feeder|scanner\n', options, before: gone };
  const devices = await bench.devices(fake);
  await devices.readSensors({ device: 'acme' }, NEVER);
  await writeFile(path.join(bench.directory, 'gone'), '');
  await failure('no_scanner_detected', devices.readSensors({ device: 'acme' }, NEVER));
  await writeFakeScanimage(bench.directory, { ...fake, devices: 'fake:7|ACME|Feeder|scanner\n' });
  await devices.list(NEVER);
  assert.is((await devices.readSensors({ device: 'acme' }, NEVER)).device, 'fake:7');
});

test('a device is described for the requested source', async (bench) => {
  const devices = await bench.devices();
  const description = await devices.describe({ device: 'auto', source: 'ADF Duplex' }, NEVER);
  assert.is(description.device, 'fake:0');
  assert.equal(description.modes, ['Lineart', 'Gray', 'Color']);
  assert.ok(
    (await bench.lines('calls')).includes('--device-name=fake:0 --source=ADF Duplex --all-options'),
  );
});

test('a failing device list is a failure', async (bench) => {
  const scanimage = { file: path.join(bench.directory, 'none'), env: {} };
  const devices = createDevices(scanimage);
  const { message } = await failure('scanner_error', devices.list(NEVER));
  assert.match(message, 'sane-utils');
});
