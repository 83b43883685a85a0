import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { metadataSheet, shippedSheets } from '../../../deploy/separator-sheets/sheets.ts';
import { createCodeReader } from '../../../helpers/processor/codes/code-reader.ts';
import { outputOf } from '../../support/programs.ts';
import { assert, withFixture } from '../../support/suite.ts';
import { writePgm } from '../../helpers/processor/support/code-images.ts';

const DPI = 150;
const LIMITS = { signal: new AbortController().signal, timeoutMs: 60_000 };
const SHIPPED = path.join(import.meta.dirname, '../../../docs/separator-sheets.pdf');

const test = withFixture('separator sheets', async (directory) => {
  const reader = createCodeReader();
  return {
    /** The codes on each page of a PDF as sorted `type text`, for each clockwise rotation. */
    codesOn: async (pdf: Buffer, angles: readonly number[]): Promise<string[][][]> => {
      const file = path.join(directory, 'sheets.pdf');
      await writeFile(file, pdf);
      const args = ['-r', String(DPI), '-gray', '-png', file, path.join(directory, 'page')];
      await outputOf('pdftoppm', args);
      const pages = (await readdir(directory)).filter((name) => name.endsWith('.png')).toSorted();
      const codesOf = async (page: string, angle: number): Promise<string[]> => {
        const image = sharp(path.join(directory, page)).rotate(angle);
        const pgm = await writePgm(image, path.join(directory, `${page}-${angle}.pgm`), DPI);
        const codes = await reader.read(pgm, LIMITS);
        return codes.map(({ type, text }) => `${type} ${text}`).toSorted();
      };
      return Promise.all(
        angles.map((angle) => Promise.all(pages.map((page) => codesOf(page, angle)))),
      );
    },
    close: () => reader.close(),
  };
});

const PLAIN = ['code39 PATCHT', 'patch_t PATCHT', 'qr PATCHT', 'qr PATCHT'];

test('docs/separator-sheets.pdf is the output of the script', async () => {
  assert.ok((await readFile(SHIPPED)).equals(await shippedSheets()));
});

test('all codes of the shipped sheets are readable in any orientation', async ({ codesOn }) => {
  const metadata = 'qr TAG:inbox\nTITLE:From a separator sheet';
  const withMetadata = ['code39 PATCHT', 'patch_t PATCHT', metadata, metadata];
  // A patch code may be found twice.
  const patches = (codes: readonly string[]): string[] =>
    codes.filter((code, index) => code !== 'patch_t PATCHT' || codes.indexOf(code) === index);
  for (const pages of await codesOn(await readFile(SHIPPED), [0, 90, 180])) {
    assert.equal(pages.map(patches), [PLAIN, withMetadata, PLAIN, withMetadata]);
  }
});

test('a sheet carries the given metadata, up to a long title', async ({ codesOn }) => {
  const title = 'Contract (final) \\ 2026 – Teehaus Müller & Söhne, '.repeat(2);
  const pdf = await metadataSheet('letter', { tags: 'tax, 7', correspondent: 'Bank', title });
  const [[codes] = []] = await codesOn(pdf, [0]);
  assert.ok(codes?.includes(`qr TAG:tax, 7\nCORRESPONDENT:Bank\nTITLE:${title}`), codes?.join());
});
