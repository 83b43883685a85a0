import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { usageProblem, WRONG_USAGE } from '../../helpers/usage.ts';
import { metadataSheet, shippedSheets } from './sheets.ts';

const USAGE = `Usage: npm run separator-sheets -- [options]

Writes separator sheets as a PDF to print. Without metadata these are the sheets of docs/separator-sheets.pdf.

  --tags LIST           tags of the document that follows, separated by commas
  --type NAME           its document type
  --correspondent NAME  its correspondent
  --title TEXT          its title
  --paper a4|letter     size of a sheet with metadata (default: a4)
  --out FILE            the PDF (default: separator-sheets.pdf)
  --help                show this help`;

try {
  console.log(await run(process.argv.slice(2)));
} catch (error) {
  console.error(usageProblem(error, USAGE));
  process.exitCode = WRONG_USAGE;
}

/** Throws an Error for a wrong option. */
async function run(args: readonly string[]): Promise<string> {
  const text = { type: 'string' } as const;
  const metadataOptions = { tags: text, type: text, correspondent: text, title: text };
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...metadataOptions,
      paper: { type: 'string', default: 'a4' },
      out: { type: 'string', default: 'separator-sheets.pdf' },
      help: { type: 'boolean', default: false },
    },
  });
  const { help, out, paper, ...metadata } = values;
  if (help) return USAGE;
  if (paper !== 'a4' && paper !== 'letter') throw new Error('--paper must be a4 or letter.');
  const isPlain = Object.keys(metadata).length === 0;
  const pdf = await (isPlain ? shippedSheets() : metadataSheet(paper, metadata));
  // npm changes to the checkout, but users type paths relative to where they are.
  const file = path.resolve(process.env['INIT_CWD'] ?? process.cwd(), out);
  await writeFile(file, pdf);
  return `${file} is written. Print it without scaling.`;
}
