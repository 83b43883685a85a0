import type { FileHandle } from 'node:fs/promises';
import pLimit from 'p-limit';
import { Failure } from '../../helpers/failure.ts';
import { TiffError } from '../../helpers/tiff-tags.ts';
import { readPageLayout } from './page-layout.ts';
import { encodePng } from './png.ts';
import { PREVIEW_SIZES, shrinkPage } from './shrink-page.ts';

/** About fifty previews fit. */
const KEPT_BYTES = 2 * 1024 * 1024;

export interface PageSource {
  readonly key: string;
  readonly handle: FileHandle;
  readonly bytes: number;
  readonly size?: keyof typeof PREVIEW_SIZES;
}

export interface Previews {
  /** Makes one preview at a time, so that scans do not slow down. Throws Failure `no_preview`. */
  of(page: PageSource): Promise<Buffer>;
}

export function createPreviews(keptBytes = KEPT_BYTES): Previews {
  const oneAtATime = pLimit(1);
  const kept = new Map<string, Buffer>();
  const underWay = new Map<string, Promise<Buffer>>();

  function keep(key: string, png: Buffer): void {
    kept.delete(key);
    kept.set(key, png);
    let bytes = [...kept.values()].reduce((sum, { length }) => sum + length, 0);
    for (const [oldest, { length }] of kept) {
      if (bytes <= keptBytes) break;
      kept.delete(oldest);
      bytes -= length;
    }
  }

  return {
    of: async (page) => {
      const { key } = page;
      const known = kept.get(key);
      const png = known ?? (await (underWay.get(key) ?? begin(page)));
      keep(key, png);
      return png;
    },
  };

  function begin(page: PageSource): Promise<Buffer> {
    const made = oneAtATime(() => makePreview(page)).finally(() => underWay.delete(page.key));
    underWay.set(page.key, made);
    return made;
  }
}

async function makePreview({ handle, bytes, size = 'small' }: PageSource): Promise<Buffer> {
  try {
    return await encodePng(
      await shrinkPage(handle, await readPageLayout(handle, bytes), PREVIEW_SIZES[size]),
    );
  } catch (error) {
    if (!(error instanceof TiffError)) throw error;
    const message = `There is no preview of this page: ${error.message}. Download the page itself: see "pages" of the scan.`;
    throw new Failure('no_preview', message, { cause: error });
  }
}
