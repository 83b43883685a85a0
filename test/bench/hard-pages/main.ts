/**
 * Reads the pages of simulators/pages/hard and prints, for each, the share of its words that were found and how many words were
 * invented: `npm run bench:pages -- [ours] [ocrmypdf] [tesseract] [NAME…]`, all three sides and all pages if none is named. Pages in a
 * language that is not installed are left out.
 */
import { readdir } from 'node:fs/promises';
import { makeHardPages } from '../../support/hard-pages.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { openReaders, SIDES, type Side } from './readers.ts';
import { readAll, tableOf } from './table.ts';

const chosen = process.argv.slice(2);
const isSide = (name: string): name is Side => name in SIDES;
const sides = chosen.filter(isSide);
const names = chosen.filter((name) => !isSide(name));

const temporary = await temporaryDirectory();
const readers = await openReaders(temporary.path);
try {
  const models = await readdir('/usr/share/tesseract-ocr/5/tessdata');
  const pages = await makeHardPages(temporary.path, names.length > 0 ? names : ['all']);
  const readable = pages.filter(({ language }) => models.includes(`${language}.traineddata`));
  const rows = await readAll(
    readable,
    sides.length > 0 ? sides : ['ours', 'ocrmypdf', 'tesseract'],
    readers,
  );
  console.log(tableOf(rows));
} finally {
  await readers.close();
  await temporary.remove();
}
