/**
 * `npm run bench:pages -- [ours] [ocrmypdf] [tesseract] [--scans DIRECTORY] [NAME…]` prints, for
 * each page of simulators/pages/hard, the share of words found and the number invented. Defaults to
 * all three programs and all pages, and then also writes docs/hard-pages.md. Skips languages that
 * are not installed. Scans, whose text is unknown, are compared by confidence.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { makeHardPages } from '../../support/hard-pages.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { describeMachine } from '../machine.ts';
import { DOCS, measuredOn, writeFormatted } from '../report.ts';
import { SIDES, openReaders, readAll, realScans, runOcr, tableOf, type Side } from './readers.ts';

const DOCUMENT = path.join(DOCS, 'hard-pages.md');

const { values, positionals } = parseArgs({
  options: { scans: { type: 'string' } },
  allowPositionals: true,
});
const isSide = (name: string): name is Side => name in SIDES;
const sides = positionals.filter(isSide);
const names = positionals.filter((name) => !isSide(name));

const began = new Date();
const temporary = await temporaryDirectory();
const machine = await describeMachine();
const readers = await openReaders();
try {
  const models = (await runOcr('tesseract', ['--list-langs'])).split('\n');
  const pages = await makeHardPages(temporary.path, names.length > 0 ? names : ['all']);
  const readable = pages.filter(({ language }) => models.includes(language));
  const all = Object.keys(SIDES).filter(isSide);
  const tables = [
    tableOf(await readAll(readable, sides.length > 0 ? sides : all, readers)),
    ...(values.scans === undefined ? [] : [await realScans(values.scans, temporary.path, readers)]),
  ];
  console.log(tables.join('\n\n'));
  if (positionals.length === 0) await writeDocument(tables);
} finally {
  await readers.close();
  await temporary.remove();
}

async function writeDocument([pages = '', scans]: readonly string[]): Promise<void> {
  const minutes = (Date.now() - began.getTime()) / 60_000;
  const paragraphs = [
    '# Pages that are hard to read',
    'Written by `npm run bench:pages`: the share of the words of each page that were found, in percent, and the number of words that are not on it.' +
      ' [Performance](performance.md#pages-that-are-hard-to-read) says what follows from it.',
    measuredOn({ began: began.toISOString(), minutes, machine }),
    pages,
    ...(scans === undefined
      ? []
      : [
          'Real scans, whose text is not known: the words that were found, and their mean confidence.',
          scans,
        ]),
  ];
  await writeFormatted(DOCUMENT, paragraphs.join('\n\n'));
}
