import path from 'node:path';
import { createPart } from '../support/appliance/part.ts';
import { sendTo, type TestAnswer } from '../support/test-app.ts';
import { assert, suite } from '../support/suite.ts';
import { BLANK_PAGE } from './support/invariants.ts';
import { withFaultBench, type FaultBench } from './support/fault-bench.ts';

const test = suite<{ bench: FaultBench }>('two services on one output directory');

withFaultBench(test);

/** Another service with the same directories and parts. */
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

test('file a scan once, and the second says who has the directory', async ({ bench }) => {
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
    // Neither has it: whoever is first takes it, and a dead one does not keep it.
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
