import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure, isFailureCode } from '../../../helpers/failure.ts';
import type { DeviceRequest, ScanSummary } from '../../../helpers/ipc/messages.ts';
import { outcomeOf } from '../../../helpers/scanner/scan-outcome.ts';
import { SCAN_LIMITS } from '../../../helpers/scanner/scan-halt.ts';
import { runSession } from '../../../helpers/scanner/scan-session.ts';
import { scanProgram } from '../../../helpers/scanner/scanimage.ts';
import { createFakeBench } from '../../support/fake-scanimage/fake-bench.ts';
import { failure } from '../../support/rejection.ts';
import { writeFakeScanimage } from '../../support/fake-scanimage/fake-scanimage.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';

const test = suite<{ directory: TemporaryDirectory }>('what a scan comes to');

test.before(async (context) => {
  context.directory = await temporaryDirectory();
});
test.after(async ({ directory }) => directory.remove());

/** Two cores run this; more at once only waits. */
const AT_ONCE = 4;
const NEVER = new AbortController().signal;

test('is defined for every exit code of scanimage, and the page before it is kept', async ({
  directory,
}) => {
  const scan = 'prompt 1; page 1; exit $(basename "$PWD")';
  const scanimage = await writeFakeScanimage(directory.path, { scan });
  const scanned = async (code: number): Promise<ScanSummary | Failure> => {
    const request: DeviceRequest = {
      device: 'fake:0',
      source: 'ADF',
      mode: 'Gray',
      resolution: 100,
      page_size: { width_mm: 25.4, height_mm: 15.24 },
      max_pages: 10,
      scanner_options: {},
      directory: path.join(directory.path, String(code)),
      first_page: 1,
      first_sheet: 1,
    };
    await mkdir(request.directory);
    const source = { name: 'ADF', feeder: true, duplex: false };
    const program = scanProgram(scanimage, { name: 'fake:0', request, options: [], source });
    const session = { program, request, duplex: false };
    const limits = { ...SCAN_LIMITS, pageTimeoutMs: 20_000 };
    const freeBytes = async (): Promise<number> => 1e12;
    const onPage = (): void => {};
    const end = await runSession(session, { signal: NEVER, onPage, limits, freeBytes });
    try {
      const { pageTimeoutMs } = limits;
      return outcomeOf(end, { device: 'fake:0', source, request, pageTimeoutMs });
    } catch (error) {
      return error as Failure;
    }
  };
  const limit = pLimit(AT_ONCE);
  const codes = Array.from({ length: 256 }, (_, code) => code);
  const outcomes = await limit.map(codes, scanned);
  for (const [code, outcome] of outcomes.entries()) {
    if (code === 0 || code === 7) {
      assert.equal(
        outcome,
        { device: 'fake:0', duplex: false, page_count: 1, warnings: [] },
        `exit code ${code}`,
      );
      continue;
    }
    assert.instance(outcome, Failure, `exit code ${code}`);
    const { code: told, facts, message } = outcome as Failure;
    assert.ok(isFailureCode(told), `exit code ${code}`);
    assert.is(facts['page_count'], 1, `exit code ${code}`);
    assert.not.match(message, /pages? (?:is|are)|kept/u, `exit code ${code}: the service counts`);
  }
});

test('without a page never claims that nothing was fed: sane-airscan loses the pages of a quick job', async () => {
  const said = 'echo "scanimage: sane_start: Document feeder out of documents" >&2';
  for (const code of [0, 7]) {
    const bench = await createFakeBench({ scan: `prompt 1; ${said}; exit ${code}` });
    const { message } = await failure('no_documents', bench.scan(await bench.request()));
    assert.match(message, 'The scanner reports that the feeder is empty');
    assert.match(message, 'with any sheet that has just passed through it');
    await bench.close();
  }
});

test.run();
