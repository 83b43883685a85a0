import path from 'node:path';
import { readsBetter, turnsToTry } from './orientation.ts';
import { turnImage } from './image-jobs.ts';
import { contextFor, type PageState, type PageWork } from './page-work.ts';
import { recognizeText, type Recognition } from './tesseract.ts';

/** A page that went through recognition. */
export interface ReadPage extends PageState {
  readonly recognition: Recognition;
}

/** Turns a page that was fed the wrong way round, if it reads better then; it is recognised again for that. */
export async function turnUpright(page: ReadPage, work: PageWork): Promise<ReadPage> {
  const { recognition, image } = page;
  const { languages } = work.job.options;
  if (!recognition.ok) return page;
  for (const quarters of turnsToTry(recognition.words, languages)) {
    const file = path.join(work.job.directory, `turned-${quarters}.tif`);
    const size = await turnImage(
      { tiff: image.file, out: file, quarters, degrees: 0 },
      contextFor(image, work, 'imageJob'),
    );
    const turned = { ...image, ...size, file };
    const again = await recognizeText(turned, languages, contextFor(turned, work, 'recognition'));
    if (again.ok && readsBetter(recognition.words, again.words, quarters)) {
      return { ...page, image: turned, turned: page.turned + quarters * 90, recognition: again };
    }
  }
  return page;
}
