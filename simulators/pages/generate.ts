/**
 * Generates the page images, texts and manifest from `sources`: `node simulators/pages/generate.ts
 * [name…]`. Requires chromium, ghostscript, fonts-liberation, fonts-crosextra-carlito,
 * fonts-crosextra-caladea and fonts-urw-base35. The results are committed. No test runs it.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { textOfHtml } from './generator/ground-truth.ts';
import { PAGE_LIST, STACKS, type PageSource } from './generator/page-list.ts';
import { printPage } from './generator/print.ts';
import { blankPage, encodePage, scanLook } from './generator/scan-look.ts';
import { PAGES_DIR, type Manifest, type PageEntry } from './manifest.ts';

const SOURCES = path.join(PAGES_DIR, 'sources');
const A4 = { width: 210, height: 297 } as const;

/** JPEG quality that keeps the noise of blank pages, which have little else. */
const BLANK_QUALITY = 88;

function entryOf({ name, language = 'eng', tags, look }: PageSource): PageEntry {
  const file = `${name}.${look?.lineart ? 'png' : 'jpg'}`;
  const mode = look?.color ? 'color' : 'gray';
  return { name, file, text: `${name}.txt`, language, mode, tags };
}

async function makePage(page: PageSource, seed: number, workDir: string): Promise<void> {
  const { name, look = {}, blank } = page;
  const { file, text } = entryOf(page);
  const target = path.join(PAGES_DIR, file);
  const print = async (source: PageSource): Promise<string> =>
    printPage({
      sources: SOURCES,
      name: source.name,
      color: source.look?.color === true,
      size: source.look?.size ?? A4,
      workDir,
    });
  if (blank) {
    const front = PAGE_LIST.find((other) => other.name === blank.showsThrough);
    const printed = front && sharp(await print(front));
    const image = await blankPage(printed, { specks: blank.specks, seed });
    await writeFile(target, await encodePage(image, BLANK_QUALITY));
    await writeFile(path.join(PAGES_DIR, text), '');
    return;
  }
  const scanned = await scanLook(sharp(await print(page)), look, seed);
  const image = look.lineart
    ? await scanned.withDensity(300).png({ palette: true, colours: 2 }).toBuffer()
    : await encodePage(scanned, look.quality);
  await writeFile(target, image);
  const html = await readFile(path.join(SOURCES, `${name}.html`), 'utf8');
  await writeFile(path.join(PAGES_DIR, text), textOfHtml(html));
}

async function generate(names: readonly string[]): Promise<void> {
  const workDir = await mkdtemp(path.join(tmpdir(), 'pages-'));
  try {
    for (const [index, page] of PAGE_LIST.entries()) {
      if (names.length > 0 && !names.includes(page.name)) continue;
      await makePage(page, index + 1, workDir);
      process.stdout.write(`${page.name}\n`);
    }
    const manifest: Manifest = { pages: PAGE_LIST.map(entryOf), stacks: STACKS };
    await writeFile(
      path.join(PAGES_DIR, 'manifest.json'),
      `${JSON.stringify(manifest, null, 2)}\n`,
    );
  } finally {
    await rm(workDir, { recursive: true });
  }
}

await generate(process.argv.slice(2));
