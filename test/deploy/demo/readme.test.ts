import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { run } from '../../support/programs.ts';
import { assert, withFixture } from '../../support/suite.ts';
import { createFolders, startDemo, type Folders } from './run-demo.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** What a newcomer pastes, in this order. */
const PAGES = ['README.md', 'docs/api.md'];

/** Written to stderr by curl after each response, see `.curlrc`. */
const STATUS = /^status (\d{3})$/gmu;

/** Statuses that are not 200, by a part of their command: the block shows what happens in that case. */
const REFUSED: readonly (readonly [command: RegExp, statuses: readonly number[]])[] = [
  [/"kind": "jam"/, [200, 502, 200]],
];

const test = withFixture('README.md and docs/api.md', createFolders);

test('every command runs as it stands against the demo, in its order', async (folders) => {
  const blocks = await shellBlocks();
  assert.ok(blocks.length >= 5);
  await shorten(folders);
  const demo = startDemo(folders, []);
  const stdout = await demo.printed('Press Ctrl-C to stop everything.');
  const ports = { 8080: portOf(stdout, 'scan service'), 8089: portOf(stdout, 'virtual scanner') };
  const expected = blocks.map((block) => statusesOf(block).join(' '));
  const seen = await runBlocks(blocks, { ports, cwd: folders.root });
  assert.equal(seen, expected);
  assert.is(
    (await readFile(join(folders.root, 'document.pdf'))).subarray(0, 5).toString(),
    '%PDF-',
  );
  demo.child.kill('SIGINT');
  await demo.ended();
});

/** The blocks that are marked as shell commands; those of the installation are not. */
async function shellBlocks(): Promise<string[]> {
  const texts = await Promise.all(PAGES.map((page) => readFile(join(ROOT, page), 'utf8')));
  return [...texts.join('\n').matchAll(/^```sh\n(.*?)^```$/gmsu)].map(([, block = '']) => block);
}

function statusesOf(block: string): readonly number[] {
  const refused = REFUSED.find(([command]) => command.test(block));
  return refused?.[1] ?? (block.match(/\bcurl /gu) ?? []).map(() => 200);
}

interface Surroundings {
  /** The usual port → the one of this demo. */
  readonly ports: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Runs all blocks in one shell. Returns the statuses of the responses in each, separated by spaces. */
async function runBlocks(
  blocks: readonly string[],
  { ports, cwd }: Surroundings,
): Promise<string[]> {
  const script = Object.entries(ports).reduce(
    (text, [usual, port]) => text.replaceAll(`127.0.0.1:${usual}`, `127.0.0.1:${port}`),
    blocks.join('echo next >&2\n'),
  );
  const { exitCode, stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { CURL_HOME: import.meta.dirname },
  });
  assert.is(exitCode, 0, `${stdout}\n${stderr}`);
  return stderr.split(/^next$/mu).map((part) => {
    return [...part.matchAll(STATUS)].map(([, status]) => status).join(' ');
  });
}

function portOf(stdout: string, part: string): string {
  return new RegExp(`${part} +http://127\\.0\\.0\\.1:(\\d+)`, 'u').exec(stdout)?.[1] ?? '';
}

/** Replaces the page by its first lines, twice: they are recognised in a second. */
async function shorten({ pages }: Folders): Promise<void> {
  const page = sharp(join(pages, '1.jpg'));
  const { width, height } = await page.metadata();
  const lines = await page
    .extract({ left: 0, top: 0, width, height: Math.round(height / 6) })
    .toBuffer();
  for (const name of ['1.jpg', '2.jpg']) await writeFile(join(pages, name), lines);
}
