import path from 'node:path';
import type { PageOptions } from '../../processor-contract.ts';
import { readsAsWellTurned, readsBetter, turnsToTry, type Quarters } from './orientation.ts';
import { turnImage } from './image-jobs.ts';
import { contextFor, type PageState, type PageWork } from './page-work.ts';
import { inTurn, turnOf } from './motion.ts';
import type { Reading } from './reading.ts';
import { recognizeText, type Recognition } from './tesseract.ts';

export interface ReadPage extends PageState {
  readonly recognition: Recognition;
  readonly reading: Reading;
}

const QUARTERS: Readonly<Record<Required<PageOptions>['usual_turn'], Quarters | undefined>> = {
  0: undefined,
  90: 1,
  180: 2,
  270: 3,
};

/**
 * Turns a page if it then reads better. Each rotation tried costs a recognition. `usual_turn`,
 * taken from the other pages of the scan, is kept unless the unturned page reads clearly better.
 */
export async function turnUpright(page: ReadPage, work: PageWork): Promise<ReadPage> {
  const { recognition, reading } = page;
  const { languages, usual_turn } = work.job.options;
  if (!recognition.ok) return page;
  const before = recognition.words;
  const usual = QUARTERS[usual_turn];
  for (const quarters of usual ? [usual] : turnsToTry(before, languages)) {
    const column = reading.column && quarters === 2;
    const motioned = await quarterTurn(reading, quarters, 'reading', work);
    const turned = { ...reading, ...motioned, column };
    const context = contextFor(turned.image, work, 'recognition');
    const again = await recognizeText(turned, languages, context);
    if (!again.ok) continue;
    if (
      usual ? readsAsWellTurned(before, again.words) : readsBetter(before, again.words, quarters)
    ) {
      const stored = await quarterTurn(page, quarters, 'page', work);
      const turnedBy = page.turned + quarters * 90;
      return { ...page, ...stored, turned: turnedBy, recognition: again, reading: turned };
    }
  }
  return page;
}

async function quarterTurn(
  { image, motion }: Pick<Reading, 'image' | 'motion'>,
  quarters: Quarters,
  name: string,
  work: PageWork,
): Promise<Pick<Reading, 'image' | 'motion'>> {
  const file = path.join(work.job.directory, `${name}-turned-${quarters}.tif`);
  await turnImage({ tiff: image.file, out: file, quarters }, contextFor(image, work, 'imageJob'));
  const { width, height } = image;
  const turned = { ...image, ...(quarters === 2 ? {} : { width: height, height: width }), file };
  return { image: turned, motion: inTurn(motion, turnOf(quarters * 90, image, turned)) };
}
