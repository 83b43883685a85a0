import path from 'node:path';
import { Failure } from '../../failure.ts';
import type { JobContext } from '../tools/toolbox.ts';
import { recognizeText } from './tesseract.ts';

/** "reviewed in the autumn of next year." at 300 dpi. */
const SAMPLE = {
  file: path.join(import.meta.dirname, 'sample-line.png'),
  width: 761,
  height: 80,
  dpi: 300,
  bilevel: true,
};
/** A model of another language may split or join a word of the seven. */
const FEWEST_WORDS = 5;

/**
 * Whether Tesseract reports what it finds on a built-in line of text in the words that word-facts.ts reads. A recognition that
 * failed says nothing about that: the next ones may not.
 */
export async function understandsTrace(language: string, context: JobContext): Promise<boolean> {
  const read = await recognizeText(SAMPLE, [language], context).catch(unlessFailure);
  if (!read?.ok) return true;
  const { lines, words, confidence } = read.words;
  return lines > 0 && words >= FEWEST_WORDS && confidence > 0;
}

function unlessFailure(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}
