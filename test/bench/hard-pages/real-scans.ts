import { readdir } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { toMarkdown } from '../tables.ts';
import { runOcr, type Readers, type ScannedPage } from './readers.ts';

/** How sure a side is of what it read: the mean of its words, weighted by their length, in percent. */
interface Certainty {
  readonly words: number;
  readonly confidence: number;
}

const PER_MM = 300 / 25.4;

/**
 * Reads the scans of a directory, whose text nobody has typed: a Markdown table of the words that this processor and Tesseract alone find, and their
 * confidence. The last row sums up the words, each by its confidence.
 */
export async function realScans(
  scans: string,
  directory: string,
  readers: Readers,
): Promise<string> {
  const rows: (readonly [string, Certainty, Certainty])[] = [];
  for (const name of (await readdir(scans)).toSorted()) {
    const tiff = path.join(directory, `${name}.tif`);
    await sharp(path.join(scans, name))
      .tiff({ compression: 'none', xres: PER_MM, yres: PER_MM, resolutionUnit: 'inch' })
      .toFile(tiff);
    const page = { name, tiff, language: 'eng' };
    const { facts } = await readers.process(page);
    const ours = { words: facts.words, confidence: facts.confidence ?? 0 };
    rows.push([name, ours, await tesseractAlone(page)]);
  }
  const sum = (side: 1 | 2): string =>
    rows.reduce((all, row) => all + (row[side].words * row[side].confidence) / 100, 0).toFixed(0);
  return toMarkdown([
    ['scan', 'ours: words / confidence', 'Tesseract alone'],
    ...rows.map(([name, ours, alone]) => [name, shown(ours), shown(alone)]),
    [`**${rows.length} scans, words × confidence**`, sum(1), sum(2)],
  ]);
}

async function tesseractAlone({ tiff, language }: ScannedPage): Promise<Certainty> {
  const table = await runOcr('tesseract', [tiff, '-', '-l', language, '--psm', '3', 'tsv']);
  // The last columns: the confidence, which is -1 where a row is no word, and the text.
  const words = table.split('\n').flatMap((line) => {
    const [confidence, text = ''] = line.split('\t').slice(-2);
    const isWord = Number(confidence) >= 0 && text.trim() !== '';
    return isWord ? { confidence: Number(confidence), length: text.length } : [];
  });
  const length = words.reduce((all, word) => all + word.length, 0);
  const weighted = words.reduce((all, word) => all + word.confidence * word.length, 0);
  return { words: words.length, confidence: length === 0 ? 0 : weighted / length };
}

function shown({ words, confidence }: Certainty): string {
  return `${words} / ${confidence.toFixed(1)}`;
}
