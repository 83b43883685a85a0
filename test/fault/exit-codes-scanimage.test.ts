import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure, type FailureCode } from '../../helpers/failure.ts';
import type { FedStack } from '../../helpers/ipc/messages.ts';
import { createFakeBench, type FakeBench } from '../support/fake-scanimage/fake-bench.ts';
import { assert, EVENT_MS, suite, within } from '../support/suite.ts';

/** Exits with the code, or by the signal, in the file `code` of the scan's directory. */
const END =
  'code=$(cat code); case $code in SIG*) kill -"${code#SIG}" $$; sleep 5 ;; *) exit "$code" ;; esac';

/** `SOME`: the codes with a meaning in SANE (0 to 11), and a few without. */
const ALL = Array.from({ length: 256 }, (_, code) => code);
const SOME = [...ALL.slice(0, 14), 126, 127, 128, 137, 255];

/** What scanimage does before it exits, the pages finished by then, and the exit codes. */
const SHAPES = [
  { title: 'before the first page', scan: '', pages: 0, codes: ALL },
  {
    title: 'after two pages',
    scan: 'prompt 1\npage 1\nprompt 2\npage 2\nprompt 3',
    pages: 2,
    codes: SOME,
  },
  {
    title: 'in the middle of a page',
    scan: 'prompt 1\npage 1\nprompt 2\nhalf 2',
    pages: 1,
    codes: SOME,
  },
] as const;

/** The Failure for an exit code. Codes that are not listed mean scanner_error. */
const MEANING: Readonly<Record<number | string, FailureCode>> = {
  2: 'scan_stopped',
  3: 'scanner_busy_elsewhere',
  6: 'scanner_jammed',
  7: 'no_documents',
  8: 'cover_open',
};

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGKILL', 'SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGHUP'] as const;

async function scanEndingWith(bench: FakeBench, code: string): Promise<FedStack | Failure> {
  const request = await bench.request();
  await writeFile(path.join(request.directory, 'code'), code);
  const scan = bench.scan(request).catch((error: unknown) => {
    if (error instanceof Failure) return error;
    throw error;
  });
  const end = await within(EVENT_MS, scan, `the end of a scan that ends with ${code}`);
  const files = (await readdir(request.directory)).filter((name) => name.endsWith('.part'));
  assert.equal(files, [], `${code}: no half of a page is left`);
  return end;
}

const test = suite('the end of a scanimage');

for (const { title, scan, pages, codes } of SHAPES) {
  test(`${title} maps its exit code or signal to a failure, for ${codes.length} of the 256 codes`, async () => {
    const bench = await createFakeBench({ scan: `${scan}\n${END}` });
    try {
      for (const code of [...codes, ...SIGNALS]) {
        const before = bench.pages.length;
        const end = await scanEndingWith(bench, String(code));
        assert.is(bench.pages.length - before, pages, `${code}: every finished page is told`);
        const ranOut = code === 0 || code === 7;
        if (ranOut && pages > 0) {
          assert.not.instance(end, Failure, `${code}: ${(end as Failure).message}`);
          continue;
        }
        assert.instance(end, Failure, `${code}: is no success`);
        const failure = end as Failure;
        const expected = ranOut ? 'no_documents' : (MEANING[code] ?? 'scanner_error');
        assert.is(failure.code, expected, `${code}: ${failure.message}`);
        assert.is(failure.facts['page_count'], pages, `${code}: the pages are counted`);
        if (typeof code === 'string') assert.match(failure.message, code);
      }
    } finally {
      await bench.close();
    }
  });
}
