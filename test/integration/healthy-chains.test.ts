import { readdir } from 'node:fs/promises';
import type { SelfTestResult } from '../../service/self-test/self-test.ts';
import type { VirtualScannerOptions } from '../../simulators/virtual-scanner/virtual-scanner.ts';
import {
  startAppliance,
  type Appliance,
  type ApplianceOptions,
} from '../support/appliance/appliance.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite('the self-test of healthy chains');

/** Self-tests of each chain; 20 of each were made by hand, with CHAIN_RUNS=20. */
const RUNS = Number(process.env['CHAIN_RUNS'] ?? 2);

/** A person waits for it. In milliseconds. */
const LIMIT_MS = 10_000;

/** A real Paperless-ngx needs 1.5 to 3 ms of its machine for each tag of a list. */
const TAGS = Array.from({ length: 2000 }, (_, id) => ({ id: id + 1, name: `Tag ${id + 1}` }));

const OWN = { resolution: 100, max_pages: 1 };

interface Chain {
  readonly scanner: VirtualScannerOptions;
  readonly second?: VirtualScannerOptions;
  readonly own: Record<string, unknown>;
  readonly dms?: ApplianceOptions['dms'];
}

const CHAINS: Readonly<Record<string, Chain>> = {
  'both sides, with glass': { scanner: {}, own: { source: 'ADF Duplex' } },
  'a feeder only': { scanner: { inputs: ['Simplex'] }, own: { source: 'ADF' } },
  'glass only': { scanner: { inputs: ['Glass'] }, own: { source: 'Flatbed' } },
  'two scanners': { scanner: {}, second: {}, own: { source: 'ADF', device: 'Virtual' } },
  'a slow Paperless-ngx with 2,000 tags': {
    scanner: {},
    own: { source: 'ADF' },
    dms: { ms_per_object: 3, objects: { tags: TAGS } },
  },
};

async function selfTest(appliance: Appliance): Promise<SelfTestResult> {
  const { status, json, text } = await appliance.get('/self-test?refresh=true');
  assert.is(status, 200, text);
  return json as unknown as SelfTestResult;
}

for (const [what, { own, dms, ...chain }] of Object.entries(CHAINS)) {
  test(`${what}: no alarm, with the shipped profiles beside an own one; nothing is fed, delivered or left behind`, async () => {
    const shipped = { profiles: [], hasShippedProfiles: true };
    const appliance = await startAppliance({ ...chain, ...shipped, ...(dms && { dms }) });
    try {
      const tags = dms ? ['tag 1999'] : [];
      const base_url = appliance.dms.url;
      const destinations = [{ kind: 'dms', base_url, tags }];
      const loaded = appliance.service.nextLine(/"event":"profiles_loaded".*"mine"/);
      await appliance.writeProfile({ name: 'mine', ...OWN, ...own, destinations });
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
      assert.is(appliance.scanner.state.sheetsFed, 0);
      assert.equal(appliance.dms.uploads(), []);
      assert.not((await readdir(appliance.directory)).includes('scans'));
    } finally {
      await appliance.close();
    }
  });
}
