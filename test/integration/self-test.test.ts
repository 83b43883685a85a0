import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Ended } from '../../helpers/child-process.ts';
import type { SelfTestResult } from '../../service/self-test/self-test.ts';
import { createSampleDms } from '../../simulators/sample-dms/sample-dms.ts';
import {
  createVirtualScanner,
  writeSaneConfig,
  type VirtualScannerOptions,
} from '../../simulators/virtual-scanner/virtual-scanner.ts';
import { DMS_TOKEN, withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { shippedPage } from '../support/pages.ts';
import { runScript } from '../support/programs.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite<{ appliance: Appliance }>('the self-test of a whole appliance');

const OWN = { name: 'mine', source: 'ADF', resolution: 100, max_pages: 1 };

withAppliance(test, { profiles: [OWN], hasShippedProfiles: true });

async function selfTest(appliance: Appliance): Promise<SelfTestResult> {
  const { status, json, text } = await appliance.get('/self-test?refresh=true');
  assert.is(status, 200, text);
  assert.not.match(text, DMS_TOKEN);
  return json as unknown as SelfTestResult;
}

/** Runs per chain; increase it for a longer test by hand. */
const RUNS = 2;

/** Time limit of a self-test, whose result a person waits for. */
const LIMIT_MS = 10_000;

/** A healthy chain: its scanners, the operator's profile, and whether Paperless-ngx is slow. */
interface Chain {
  readonly scanners: Readonly<Record<string, VirtualScannerOptions>>;
  readonly own: Readonly<Record<string, string>>;
  readonly isSlow?: boolean;
}

const CHAINS: Readonly<Record<string, Chain>> = {
  'a feeder only': { scanners: { Virtual: { inputs: ['Simplex'] } }, own: { source: 'ADF' } },
  'glass only': { scanners: { Virtual: { inputs: ['Glass'] } }, own: { source: 'Flatbed' } },
  'two scanners': { scanners: { Virtual: {}, Second: {} }, own: { device: 'Virtual' } },
  'a slow Paperless-ngx': { scanners: { Virtual: {} }, own: {}, isSlow: true },
  // The service makes Lineart and crops paper itself, so the scanner need not support them.
  'both sides, with glass': {
    scanners: { Virtual: {} },
    own: { source: 'ADF Duplex', mode: 'Lineart', page_size: 'auto' },
  },
};

/** A real Paperless-ngx needs 1.5 to 3 ms for each tag in a list. */
const SLOW = {
  ms_per_object: 3,
  objects: {
    tags: Array.from({ length: 2000 }, (_, id) => ({ id: id + 1, name: `Tag ${id + 1}` })),
  },
};

for (const [what, { scanners, own, isSlow = false }] of Object.entries(CHAINS)) {
  test(`${what}: no alarm with the shipped profiles and an own one; nothing is fed, delivered or left behind`, async ({
    appliance,
  }) => {
    const made = await Promise.all(Object.values(scanners).map(createVirtualScanner));
    const storeDir = path.join(appliance.directory, 'another-dms');
    const dms = await createSampleDms({ tokens: [DMS_TOKEN], storeDir, ...(isSlow && SLOW) });
    try {
      const named = Object.keys(scanners).map((name, index) => ({
        name,
        url: made[index]?.url ?? '',
      }));
      await writeSaneConfig(path.join(appliance.directory, 'sane'), named);
      const listed = (await appliance.get('/scanners?refresh=true')).json as {
        scanners: unknown[];
      };
      assert.is(listed.scanners.length, made.length);
      const destinations = [{ kind: 'dms', base_url: dms.url, tags: isSlow ? ['tag 1999'] : [] }];
      const loaded = appliance.service.nextLine(/"event":"profiles_loaded".*"mine"/);
      await appliance.writeProfile({ ...OWN, ...own, destinations });
      await loaded;
      for (let run = 0; run < RUNS; run += 1) {
        const { status, checks, duration_ms } = await selfTest(appliance);
        const alarms = checks
          .filter((one) => ['fail', 'warn', 'unknown'].includes(one.status))
          .map(({ id, subject, message }) => `${id} ${subject}: ${message}`);
        assert.equal(alarms, []);
        assert.is(status, 'ok');
        assert.ok(duration_ms < LIMIT_MS, `${duration_ms} ms`);
        const mine = checks.filter(({ subject }) => subject.startsWith('mine'));
        assert.ok(mine.length > 0 && mine.every((one) => one.status === 'ok'));
      }
      assert.equal(
        made.map(({ state }) => state.sheetsFed),
        made.map(() => 0),
      );
      assert.equal([...dms.uploads(), ...appliance.dms.uploads()], []);
      assert.not((await readdir(appliance.directory)).includes('scans'));
    } finally {
      await Promise.all([...made.map((scanner) => scanner.close()), dms.close()]);
    }
  });
}

/** Returns to the appliance's own scanner and DMS, which the tests above replaced. */
test('GET /scanners has a profile to copy, and tags are listed', async ({ appliance }) => {
  const { directory, scanner: virtual } = appliance;
  await writeSaneConfig(path.join(directory, 'sane'), [{ name: 'Virtual', url: virtual.url }]);
  const loaded = appliance.service.nextLine(/"event":"profiles_loaded".*"mine"/);
  await appliance.writeProfile(OWN);
  await loaded;
  const { scanners } = (await appliance.get('/scanners?refresh=true')).json as {
    scanners: { name: string; profile: string }[];
  };
  const [scanner] = scanners;
  assert.is(scanner?.name, 'airscan:e0:Virtual');
  assert.match(
    scanner?.profile ?? '',
    /^name: my-profile\n(.*\n)*source: ADF Duplex\nmode: Gray\nresolution: 300\n/,
  );
  const { tags } = (await appliance.get('/metadata/tags')).json as { tags: { name: string }[] };
  assert.ok(tags.some(({ name }) => name === 'Tax'));
});

test('its start is logged with everything a person must know', async ({ appliance }) => {
  const { service, directory } = appliance;
  const restarted = async (line: RegExp): Promise<string> => {
    await service.stop();
    const logged = service.nextLine(line);
    await service.start();
    return logged;
  };
  await restarted(/"event":"self_test","status":"ok"/);
  const secret = path.join(directory, 'secrets/dms_api_token');
  await rm(secret);
  const problem = await restarted(/"event":"self_test_problem"/);
  assert.match(problem, /"check":"secrets\.token".*There is no API token\. Create the secret/);
  await writeFile(secret, DMS_TOKEN);
});

const doctor = (port: number, ...options: string[]): Promise<Ended> =>
  runScript('deploy/terminal/doctor.ts', ['--url', `http://127.0.0.1:${port}`, ...options]);

test('the doctor prints the problems, and exits accordingly', async ({ appliance }) => {
  const { service, runtime } = appliance;
  const healthy = await doctor(service.port(), '--all');
  assert.is(healthy.exitCode, 0, healthy.stderr);
  assert.match(healthy.stdout, /^ok {4}clock {2}this machine\n {6}The clock says/);
  assert.match(
    healthy.stdout,
    /\n\nNo problem found: \d+ ok, 1 skipped\.\nVersion \d+\.\d+\.\d+, commit .+\.$/,
  );
  runtime.freeze();
  const broken = await doctor(service.port());
  runtime.thaw();
  assert.is(broken.exitCode, 1);
  assert.match(
    broken.stdout,
    /^FAIL {2}runtime {2}.*scanner\.sock\n {6}The scanner runtime did not answer within 3 s\.\n {6}See its log, and restart it\.\n\nThere are problems: \d+ ok, 1 fail, 8 skipped\.\nVersion .*$/,
  );
  assert.is((await doctor(service.port(), '--nonsense')).exitCode, 2);
  // Nothing listens on port 2. (fetch refuses to use port 1.)
  const none = await doctor(2);
  assert.is(none.exitCode, 3);
  assert.match(
    none.stderr,
    /does not answer at http:\/\/127\.0\.0\.1:2 \(.*ECONNREFUSED.*\)\. It takes some seconds to start: wait, or start it/,
  );
});

test('while a scan runs, the scanner is left alone', async ({ appliance }) => {
  appliance.scanner.load([shippedPage('blank-back-plain').file]);
  appliance.scanner.setFault({ kind: 'wait' });
  const waits = once(appliance.scanner.events, 'fault');
  const scan = appliance.scan({ profile: 'mine' });
  await waits;
  const { checks, status } = await selfTest(appliance);
  appliance.scanner.setFault(null);
  assert.is(status, 'ok');
  const scanners = checks.filter(({ id }) => id.startsWith('scanner'));
  assert.equal([...new Set(scanners.map((check) => check.status))], ['skipped']);
  assert.is((await scan).status, 200);
});
