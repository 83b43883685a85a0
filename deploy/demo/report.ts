import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { styleText } from 'node:util';
import type { Appliance } from './appliance.ts';
import { DemoError } from './demo-error.ts';
import type { FirstScan, ScanResult } from './first-scan.ts';
import type { DemoOptions } from './options.ts';
import { textOfPages } from './pdf-text.ts';
import { USUAL_PORT } from './ports.ts';

/** Enough to recognize the page, on a terminal of usual width. */
const LINES_PER_PAGE = 4;
const CHARACTERS_PER_LINE = 76;

const LOG_LINES = 20;

/** In milliseconds. The sample DMS only moves a file. */
const FILED_WITHIN_MS = 30_000;

export function say(text = ''): void {
  console.log(text);
}

export function heading(text: string): string {
  return styleText('bold', text);
}

export function describeParts(
  { scanner, dms, dmsUrl, serviceUrl, workspace }: Appliance,
  { port }: DemoOptions,
): string {
  const moved = port === undefined && new URL(serviceUrl).port !== String(USUAL_PORT);
  const dmsTitle = dms === undefined ? 'DMS' : 'sample DMS';
  return [
    `  virtual scanner  ${scanner.url}`,
    `  ${dmsTitle.padEnd(15)}  ${dmsUrl}${dms === undefined ? '' : '  (in place of Paperless-ngx)'}`,
    `  scan service     ${serviceUrl}${moved ? `  (port ${USUAL_PORT} is taken)` : ''}`,
    `  logs             ${workspace.logs}`,
  ].join('\n');
}

export function describeSheet(sheet: number, front: string): string {
  return `  sheet ${sheet} is fed: ${basename(front)}`;
}

export async function showScan(appliance: Appliance, scan: FirstScan): Promise<void> {
  const { result, seconds, secondsAfterLastPage } = scan;
  say(`  200 OK after ${seconds.toFixed(1)} s\n`);
  say(`${printJson(result)}\n`);
  refuseFailed(result, appliance);
  say(
    heading(
      `Filed ${secondsAfterLastPage.toFixed(1)} s after the last page left the scanner` +
        ` (${result.page_count} pages).`,
    ),
  );
  const directory = join(appliance.workspace.scans, result.scan_id);
  say('\nSearchable PDF');
  for (const { filename } of result.documents) say(`  ${join(directory, filename)}`);
  say('In the document-management system');
  for (const line of await filed(appliance, result)) say(`  ${line}`);
  for (const { filename } of result.documents) {
    say(`\nText found in ${filename}`);
    const pages = await textOfPages(join(directory, filename));
    for (const [index, text] of pages.entries()) say(excerpt(index + 1, text));
  }
}

/** Keeps each list of plain values on one line. */
function printJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(/\[\s+([^[\]{}]+?)\s+\]/g, (_, items) => {
    return `[${String(items).replaceAll(/\s*\n\s*/g, ' ')}]`;
  });
}

function refuseFailed({ documents }: ScanResult, { parts }: Appliance): void {
  const outcomes = documents.flatMap((document) => document.destinations);
  const failed = outcomes.find((outcome) => outcome.status === 'failed');
  if (failed?.status !== 'failed') return;
  throw new DemoError(`The documents were not delivered: ${failed.error}`, {
    logFile: parts.service.logFile,
  });
}

async function filed({ dms, dmsUrl }: Appliance, { documents }: ScanResult): Promise<string[]> {
  const tasks = documents.flatMap((document) =>
    document.destinations.flatMap((outcome) =>
      outcome.status === 'submitted' ? [outcome.task_id] : [],
    ),
  );
  if (dms === undefined) return tasks.map((task) => `task ${task}, see ${dmsUrl}`);
  await Promise.race([dms.idle(), timeout(FILED_WITHIN_MS)]);
  return dms.tasks().flatMap(({ task_id, document, result }) => {
    if (!tasks.includes(task_id)) return [];
    return [
      document === undefined ? `refused: ${result ?? ''}` : `"${document.title}"  ${document.path}`,
    ];
  });
}

async function timeout(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function excerpt(page: number, text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '')
    .slice(0, LINES_PER_PAGE)
    .map((line) => `  | ${line.slice(0, CHARACTERS_PER_LINE)}`);
  return [`  page ${page}`, ...(lines.length > 0 ? lines : ['  | (blank)'])].join('\n');
}

export function describeNextSteps(
  { serviceUrl, scanner, dmsUrl, sampleToken }: Appliance,
  profile: string,
): string {
  const json = `-H 'Content-Type: application/json'`;
  const control = new URL('/control', scanner.url).href;
  return [
    heading('The appliance keeps running, and the feeder is full again. Try:'),
    `  ${serviceUrl}/  in a browser: the control page, which scans with one press`,
    `  npm run scan -- ${profile} --url ${serviceUrl}`,
    `  curl -X POST ${serviceUrl}/scan ${json} -d '{"profile":"${profile}"}'`,
    `  ${serviceUrl}/docs  in a browser: all requests, to try out`,
    `  curl ${serviceUrl}/profiles/${profile}`,
    '',
    '  Make the paper jam on page 2, scan again, then clear the jam:',
    `  curl -X POST ${control}/fault -d '{"kind":"jam","atPage":2}'`,
    `  curl -X POST ${control}/fault -d 'null'`,
    ...(sampleToken === undefined
      ? []
      : [
          '',
          '  Set up an appliance of your own with this scanner and this sample system:',
          `  DMS_API_TOKEN=${sampleToken} npm run setup -- --scanner ${scanner.url} --dms-url ${dmsUrl}`,
        ]),
    '',
    'Press Ctrl-C to stop everything.',
  ].join('\n');
}

/** What to answer in the set-up of a new appliance. */
export function describeSetUp(
  { serviceUrl, dmsUrl }: Appliance,
  { username, password }: NonNullable<Appliance['account']>,
): string {
  return [
    heading('The appliance is new, and waits to be set up. Open it in a browser:'),
    `  ${serviceUrl}/#set-up`,
    '',
    '  Scanner          Virtual Scanner, in the list',
    `  Paperless-ngx    ${dmsUrl}`,
    `  user             ${username}`,
    `  password         ${password}`,
    '',
    'Press Ctrl-C to stop everything.',
  ].join('\n');
}

/** Includes the end of the relevant log. */
export async function describeFailure(failure: DemoError): Promise<string> {
  const cause = failure.cause instanceof Error ? ` (${failure.cause.message})` : '';
  const message = styleText('red', `${failure.message}${cause}`, { stream: process.stderr });
  if (failure.logFile === undefined) return message;
  const log = await readFile(failure.logFile, 'utf8').catch(() => '');
  const end = log.trimEnd().split('\n').slice(-LOG_LINES).join('\n');
  return `${message}\n\nThe end of ${failure.logFile}:\n${end === '' ? '(empty)' : end}`;
}
