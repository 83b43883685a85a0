import pLimit from 'p-limit';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  runOcrmypdf,
  type OcrmypdfResult,
} from '../../../../helpers/processor/document/ocrmypdf.ts';
import type { JobContext } from '../../../../helpers/processor/page/page-scripts.ts';
import type { DocumentOptions } from '../../../../helpers/processor-contract.ts';
import { stillAlive } from '../../../support/processes.ts';
import { rejection } from '../../../support/rejection.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { fakePrograms } from '../support/fake-programs.ts';

interface RunOptions {
  readonly output_type?: DocumentOptions['output_type'];
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** An OCRmyPDF that does as a script says, on two pages that it does not read. */
const test = withFixture(suite('OCRmyPDF that goes wrong'), async () => {
  const temporary = await temporaryDirectory();
  let runs = 0;
  return {
    directory: temporary.path,
    run: async (script: string, given: RunOptions = {}): Promise<OcrmypdfResult> => {
      const directory = path.join(temporary.path, String((runs += 1)));
      await mkdir(directory);
      const context: JobContext = {
        toolbox: { searchPath: await fakePrograms(directory, { ocrmypdf: script }) },
        directory,
        timeoutMs: given.timeoutMs ?? 20_000,
        signal: given.signal ?? new AbortController().signal,
      };
      const options: DocumentOptions = {
        title: 'Title; with "quotes" and $(command)',
        output_type: given.output_type ?? 'pdfa',
        languages: ['eng', 'deu'],
      };
      const pages = ['1.pdf', '2.pdf'];
      return runOcrmypdf({ pages, texts: path.join(directory, 'texts'), options }, context);
    },
    close: () => temporary.remove(),
  };
});

/** Shell that writes a receipt, and a document of nine bytes. */
function document({ pages = 2, bytes = 9, pdfa = true } = {}): string {
  const receipt = JSON.stringify({ page_count: pages, bytes, pdfa });
  return `for arg; do case "$arg" in --receipt=*) echo '${receipt}' > "\${arg#*=}";; esac; done; echo %PDF-1.7`;
}

/** Programs are started this many at a time. */
const AT_A_TIME = 4;

const ALL_CODES = Array.from({ length: 256 }, (_, code) => code);

test('every exit code has its meaning, with a document or without', async ({ run }) => {
  const limit = pLimit(AT_A_TIME);
  const check = async (code: number): Promise<void> => {
    const without = await run(`echo "the reason" >&2; exit ${code}`);
    const whole = await run(`${document()}; exit ${code}`);
    if (code === 0) {
      assert.is(without.kind, 'failed');
      assert.is(whole.kind, 'complete');
      if (whole.kind === 'complete') assert.equal(whole.warnings, []);
    } else if (code === 10) {
      assert.is(without.kind, 'failed');
      assert.is(whole.kind, 'complete');
      if (whole.kind === 'complete') assert.match(whole.warnings.join(), /not PDF\/A/);
    } else if (code === 2) {
      assert.equal(without, { kind: 'unreadable', message: 'the reason' });
      assert.is(whole.kind, 'unreadable');
    } else {
      assert.is(whole.kind, 'failed', `exit code ${code} leaves no document, whatever is there`);
      assert.is(without.kind, 'failed');
      if (without.kind === 'failed') {
        assert.match(without.reason, `ended with exit code ${code}: the reason`);
      }
    }
  };
  await Promise.all(ALL_CODES.map((code) => limit(check, code)));
});

test('the codes of OCRmyPDF are explained', async ({ run }) => {
  for (const [code, meaning] of [
    [7, 'a program that it runs failed'],
    [8, 'a page is encrypted'],
    [130, 'interrupted'],
  ]) {
    const result = await run(`exit ${code}`);
    assert.equal(result, { kind: 'failed', reason: `ended with exit code ${code} (${meaning})` });
  }
});

test('a document is given as it was printed', async ({ run }) => {
  const result = await run(document());
  assert.is(result.kind, 'complete');
  if (result.kind === 'complete') assert.is(await readFile(result.file, 'utf8'), '%PDF-1.7\n');
});

test('a document that is not what its receipt says is not complete', async ({ run }) => {
  for (const script of [
    document({ bytes: 10 }),
    document({ pages: 1 }),
    document({ pages: 3 }),
    `${document()}; echo more`,
    'echo %PDF-1.7',
    `${document()} > /dev/null`,
    document().replace('"pdfa":true', '"pdfa":"yes"'),
    document().replace('{', ''),
  ]) {
    const result = await run(script);
    assert.is(result.kind, 'failed', script);
    if (result.kind === 'failed') assert.match(result.reason, /its document is not complete$/);
  }
});

test('a document that is no PDF/A is told only where PDF/A was asked for', async ({ run }) => {
  const asked = await run(document({ pdfa: false }));
  assert.is(asked.kind, 'complete');
  if (asked.kind === 'complete') assert.is(asked.warnings.length, 1);
  const notAsked = await run(document({ pdfa: false }), { output_type: 'pdf' });
  assert.is(notAsked.kind, 'complete');
  if (notAsked.kind === 'complete') assert.equal(notAsked.warnings, []);
});

const CRASHES: readonly (readonly [string, string, RegExp])[] = [
  ['is killed', 'kill -KILL $$', /^was killed by SIGKILL/],
  ['crashes', `${document()}; kill -SEGV $$`, /^was killed by SIGSEGV/],
  [
    'prints a megabyte of errors',
    'head -c 1000000 /dev/zero | tr "\\0" x >&2; exit 15',
    /^ended with exit code 15: x{200} \(another error\)$/,
  ],
  ['prints errors without end', 'exec yes >&2', /^(?:was killed|ended)/],
];

for (const [what, script, reason] of CRASHES) {
  test(`an OCRmyPDF that ${what} has failed`, async ({ run }) => {
    const result = await run(script);
    assert.is(result.kind, 'failed');
    if (result.kind === 'failed') assert.match(result.reason, reason);
  });
}

test('an OCRmyPDF that hangs is ended, with all it started', async ({ run, directory }) => {
  const script = 'echo $$ > pid; sleep 600 & echo $! >> pid; wait';
  const result = await run(script, { timeoutMs: 500 });
  assert.is(result.kind, 'failed');
  if (result.kind === 'failed') assert.match(result.reason, /^was ended after \d s$/);
  const pids = (await readFile(path.join(directory, '1/pid'), 'utf8')).trim().split('\n');
  assert.is(pids.length, 2);
  assert.equal(await stillAlive(pids.map(Number)), []);
});

test('a request that is given up rejects with its reason', async ({ run }) => {
  const signal = AbortSignal.timeout(300);
  assert.is(await rejection(run('sleep 600', { signal })), signal.reason);
});

test('options are arguments, and never words of a shell', async ({ run, directory }) => {
  await writeFile(path.join(directory, 'untouched'), '');
  await run(`for arg; do echo "$arg"; done > arguments; ${document()}`, { output_type: 'pdf' });
  const seen = (await readFile(path.join(directory, '1/arguments'), 'utf8')).split('\n');
  assert.ok(seen.includes('--title=Title; with "quotes" and $(command)'));
  assert.ok(seen.includes('--language=eng+deu'));
  assert.ok(seen.includes('--output-type=pdf'));
});

test.run();
