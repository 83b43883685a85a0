import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { PageImage } from './plain-tiff.ts';
import { describeEnd, runTool, type JobContext } from '../tools/toolbox.ts';
import { readWordFacts, TRACE_SETTING, type WordFacts } from './word-facts.ts';

/** The text of a page, or why there is none. */
export type Recognition =
  | { readonly ok: true; readonly textPdf: string; readonly words: WordFacts }
  | { readonly ok: false; readonly reason: string };

/** A page of small print has 300,000; more tells nothing new about the page. */
const MAX_TRACE_CHARACTERS = 4_000_000;

/**
 * Recognises the text of a plain image. Whatever Tesseract does, it costs no more than the text: a crash or a timeout is an
 * answer, not an exception.
 */
export async function recognizeText(
  image: PageImage,
  languages: readonly string[],
  context: JobContext,
): Promise<Recognition> {
  const base = path.join(context.directory, `${path.parse(image.file).name}-text`);
  const trace = `${base}.log`;
  const args = [
    image.file,
    base,
    '-l',
    languages.join('+'),
    '--dpi',
    String(image.dpi),
    // Layout analysis without orientation detection, which takes a third longer: orientation.ts does it for nothing.
    '--psm',
    '3',
    // The image gets into the page afterwards, in an encoding that Tesseract does not have.
    '-c',
    'textonly_pdf=1',
    '-c',
    TRACE_SETTING,
    '-c',
    `debug_file=${trace}`,
    'pdf',
  ];
  const ended = await runTool({ file: 'tesseract', args }, context);
  const textPdf = `${base}.pdf`;
  if (ended.exitCode !== 0) return { ok: false, reason: describeEnd(ended) };
  try {
    await access(textPdf);
  } catch {
    return { ok: false, reason: 'wrote no text' };
  }
  return { ok: true, textPdf, words: readWordFacts(await readTrace(trace)) };
}

/** There is no file where Tesseract had nothing to tell, which it may. */
async function readTrace(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.slice(0, MAX_TRACE_CHARACTERS);
}
