import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createPart } from '../support/appliance/part.ts';
import { assert, suite } from '../support/suite.ts';
import { sendTo, type TestAnswer } from '../support/send-to.ts';
import { startFaultBench, type FaultBench } from './support/fault-bench.ts';
import { BLANK_PAGE, checkFiled } from './support/invariants.ts';
import { addKills, withKilledParts } from './support/kill-matrix.ts';

const test = suite<{ bench: FaultBench }>('killing the service, or the DMS');

withKilledParts(test);

addKills(test, 'service', 'SIGKILL', [
  'before the first sheet',
  'while feeding',
  'while merging ahead',
  'while recognizing after the last sheet',
  'while assembling',
  'while delivering',
]);
// On SIGTERM, the service first ends the scan, whichever phase the scan is in.
addKills(test, 'service', 'SIGTERM', ['while feeding', 'while delivering']);
// Between the preflight check and the upload, the DMS holds only an open connection.
addKills(test, 'DMS', 'SIGKILL', ['while feeding', 'while delivering']);
addKills(test, 'DMS', 'SIGTERM', ['while delivering']);

test('a service restarts while a sheet is moving: resume files that sheet too, or is refused until it is safe', async () => {
  // A sheet takes three seconds, as on a real scanner; the service restarts faster.
  const bench = await startFaultBench({ scanner: { pagesPerMinute: 20 } });
  try {
    const { service, scanner, scansDir } = bench.appliance;
    scanner.load([BLANK_PAGE, BLANK_PAGE, BLANK_PAGE]);
    const first = service.nextLine(/"event":"scan_page".*"page":1,/);
    const lost = bench.scan();
    const { scan_id: id } = JSON.parse(await first) as { scan_id: string };
    await service.stop('SIGKILL');
    await service.start();
    await lost;
    await bench.resume(id);
    await bench.appliance.untilScannerFree();
    await bench.resume(id);
    const directory = path.join(scansDir, id);
    assert.ok(
      (await readdir(directory)).includes('page-0002.tif'),
      'the second sheet went through',
    );
    await checkFiled(directory);
  } finally {
    await bench.close();
  }
});

function secondService({ appliance }: FaultBench): ReturnType<typeof createPart> {
  const inside = (name: string): string => path.join(appliance.directory, name);
  return createPart('the second service', 'service/main.ts', () => ({
    PORT: '0',
    PROFILES_DIR: inside('profiles'),
    OUTPUT_DIR: appliance.scansDir,
    SCANNER_SOCKET: inside('scanner.sock'),
    PROCESSOR_URL: `http://127.0.0.1:${appliance.processor.port()}`,
    SECRETS_DIR: inside('secrets'),
  }));
}

function resume(port: number, id: string): Promise<TestAnswer> {
  const headers = { 'Content-Type': 'application/json' };
  return sendTo(port, { method: 'POST', path: `/scans/${id}/resume`, headers, body: '{}' });
}

test('two services on one output directory file a scan once, and the second names the owner', async ({
  bench,
}) => {
  const { service, scanner } = bench.appliance;
  const second = secondService(bench);
  await second.start();
  try {
    scanner.load([BLANK_PAGE, BLANK_PAGE]);
    scanner.setFault({ kind: 'jam', atPage: 2 });
    const jammed = await bench.scan();
    scanner.setFault(null);
    const id = String(jammed.answer?.json?.['scan_id']);
    assert.is(jammed.answer?.json?.['error'], 'scanner_jammed', jammed.answer?.text);
    await service.stop('SIGKILL');
    await service.start();
    const before = (await bench.dms.documents()).length;
    const answers = await Promise.all([resume(service.port(), id), resume(second.port(), id)]);
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.equal(statuses, [200, 503], answers.map(({ text }) => text).join('\n'));
    const refused = answers.find(({ status }) => status === 503);
    assert.is(refused?.json?.['error'], 'output_dir_in_use');
    assert.match(String(refused?.json?.['message']), 'Another scan service');
    assert.is((await bench.dms.documents()).length, before + 1);
  } finally {
    await second.stop();
  }
});
