import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SelfTestResult } from '../../service/self-test/self-test.ts';
import { DMS_TOKEN, withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { shippedPage } from '../support/pages.ts';
import { assert, suite } from '../support/suite.ts';

/** Without a problem: healthy-chains.test.ts. */
const test = suite<{ appliance: Appliance }>('the self-test of a whole appliance');

const ROOT = path.resolve(import.meta.dirname, '../..');

withAppliance(test, {
  profiles: [
    { name: 'default', source: 'ADF', resolution: 100, max_pages: 1 },
    { name: 'duplex', source: 'ADF Duplex', resolution: 100, max_pages: 1 },
  ],
});

async function selfTest(appliance: Appliance): Promise<SelfTestResult> {
  const { status, json, text } = await appliance.get('/self-test?refresh=true');
  assert.is(status, 200, text);
  assert.not.match(text, DMS_TOKEN);
  return json as unknown as SelfTestResult;
}

interface Doctor {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** `npm run doctor`, in a pipe. */
function doctor(port: number, ...options: string[]): Promise<Doctor> {
  const url = `http://127.0.0.1:${port}`;
  const args = [path.join(ROOT, 'deploy/terminal/doctor.ts'), '--url', url, ...options];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, (_, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    );
  });
}

test('its start is logged, and what a person has to know', async ({ appliance }) => {
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

test('GET /scanners has a profile to copy, and tags are listed', async ({ appliance }) => {
  const { scanners } = (await appliance.get('/scanners')).json as unknown as {
    readonly scanners: readonly { readonly name: string; readonly profile: string }[];
  };
  const [scanner] = scanners;
  assert.is(scanner?.name, 'airscan:e0:Virtual');
  assert.match(
    scanner?.profile ?? '',
    /^name: my-profile\n(.*\n)*source: ADF Duplex\nmode: Gray\nresolution: 300\n/,
  );
  const { tags } = (await appliance.get('/metadata/tags')).json as unknown as {
    readonly tags: readonly { readonly name: string }[];
  };
  assert.ok(tags.some(({ name }) => name === 'Tax'));
});

test('the doctor prints what is wrong, and exits accordingly', async ({ appliance }) => {
  const { service, runtime } = appliance;
  const healthy = await doctor(service.port(), '--all');
  assert.is(healthy.code, 0, healthy.err);
  assert.match(healthy.out, /^ok {4}clock {2}this machine\n {6}The clock says/);
  assert.match(
    healthy.out,
    /\n\nNo problem found: \d+ ok\.\nVersion \d+\.\d+\.\d+, commit .+\.\n$/,
  );
  runtime.freeze();
  const broken = await doctor(service.port());
  runtime.thaw();
  assert.is(broken.code, 1);
  assert.match(
    broken.out,
    /^FAIL {2}runtime {2}.*scanner\.sock\n {6}The scanner runtime did not answer within 3 s\.\n {6}See its log, and restart it\.\n\nThere are problems: \d+ ok, 1 fail, 3 skipped\.\nVersion .*\n$/,
  );
  assert.is((await doctor(service.port(), '--nonsense')).code, 2);
  // Not 1, which fetch refuses to ask.
  const none = await doctor(2);
  assert.is(none.code, 3);
  assert.match(
    none.err,
    /does not answer at http:\/\/127\.0\.0\.1:2 \(.*ECONNREFUSED.*\)\. It takes some seconds to start: wait, or start it/,
  );
});

test('while a scan runs, the scanner is left alone', async ({ appliance }) => {
  appliance.scanner.load([shippedPage('blank-back-plain').file]);
  appliance.scanner.setFault({ kind: 'wait' });
  const waits = once(appliance.scanner.events, 'fault');
  const scan = appliance.scan({});
  await waits;
  const { checks, status } = await selfTest(appliance);
  appliance.scanner.setFault(null);
  assert.is(status, 'ok');
  const scanners = checks.filter(({ id }) => id.startsWith('scanner'));
  assert.equal([...new Set(scanners.map((check) => check.status))], ['skipped']);
  assert.is((await scan).status, 200);
});
