import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { Failure, type FailureCode } from '../../helpers/failure.ts';
import type { FedStack } from '../../helpers/ipc/messages.ts';
import { pageName } from '../../service/archive/file-names.ts';
import { shippedPage } from '../support/pages.ts';
import type { Feed } from '../support/scan-parts.ts';

const PAGES = ['invoice', 'letter-bank', 'minutes', 'article-one', 'letter-school', 'report'];

export interface PlayedFeeder {
  readonly feed: Feed;
  begun(): Promise<void>;
  feedPages(count: number): Promise<void>;
  /** Ends feeding: the feeder is empty, or `code` stopped it. */
  end(code?: FailureCode): void;
}

interface Feeding {
  readonly page: () => Promise<void>;
  readonly end: (failure?: Failure) => void;
}

export function createPlayedFeeder(): PlayedFeeder {
  let feeding = Promise.withResolvers<Feeding>();

  const feed: Feed = (request, { onPage, signal }) => {
    const ended = Promise.withResolvers<FedStack>();
    let count = 0;
    const page = async (): Promise<void> => {
      const number = request.first_page + count;
      const filename = pageName(number);
      const content = await pageImage(PAGES[(number - 1) % PAGES.length] ?? 'invoice');
      await writeFile(path.join(request.directory, filename), content);
      const size = {
        bytes: content.length,
        width_px: 1240,
        height_px: 1754,
        dpi: 150,
        cropped: false,
      };
      onPage({ number, sheet: request.first_sheet + count, side: 'front', filename, ...size });
      count += 1;
    };
    const end = (failure?: Failure): void => {
      feeding = Promise.withResolvers();
      if (failure) ended.reject(failure);
      else ended.resolve({ device: 'played', duplex: false, page_count: count, warnings: [] });
    };
    signal.addEventListener('abort', () => end(new Failure('scanner_error', 'Cancelled.')));
    feeding.resolve({ page, end });
    return ended.promise;
  };

  return {
    feed,
    begun: async () => void (await feeding.promise),
    feedPages: async (count) => {
      const { page } = await feeding.promise;
      for (let done = 0; done < count; done += 1) await page();
    },
    end: (code) => {
      const failure = code && new Failure(code, MESSAGES[code] ?? 'The scanner stopped.');
      void feeding.promise.then(({ end }) => end(failure));
    },
  };
}

const MESSAGES: Partial<Record<FailureCode, string>> = {
  scanner_jammed: 'The paper is jammed. Open the scanner and remove the sheet that is stuck.',
  no_documents: 'The scanner reports that the feeder is empty, and it delivered no page.',
};

const images = new Map<string, Promise<Buffer>>();

/** A page image as a scanner stores it at 150 dpi. */
function pageImage(name: string): Promise<Buffer> {
  const known = images.get(name);
  if (known) return known;
  const image = sharp(shippedPage(name).file)
    .resize({ width: 1240 })
    .toColourspace('b-w')
    .tiff({ compression: 'none' })
    .toBuffer();
  images.set(name, image);
  return image;
}
