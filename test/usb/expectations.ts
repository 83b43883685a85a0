import sharp, { type Sharp } from 'sharp';
import { until } from '../compose/appliance.ts';
import type { SelfTestResult } from '../../service/self-test/self-test.ts';
import { assert } from '../support/suite.ts';
import type { Answer, Lab } from './lab.ts';

export function submitted({ status, body }: Answer, pages: number): void {
  assert.is(status, 200, JSON.stringify(body));
  assert.is(body['page_count'], pages, JSON.stringify(body));
  assert.match(JSON.stringify(body['documents']), /"status":"submitted"/u);
}

export function failedWith({ status, body }: Answer, expected: number, error: string): void {
  assert.equal([status, body['error']], [expected, error], JSON.stringify(body));
}

/** The self-test's message about the lab's scanner. It must not mention the USB hubs. */
export const MAY_NOT_OPEN =
  /^fail: .* The scanner runtime may not open the USB device 0x04c5\/0x114f at \d+:\d+: if that is the scanner, see deploy\/udev\./u;

const SELF_TEST_MS = 600_000;
const HAD_NO_TIME =
  /did not answer within|no answer in time|have not been read yet|no time left to ask/u;
/**
 * The runtime may still be ending a scan that has been answered, or not have answered itself on a
 * busy machine.
 */
const NOT_CHECKED = /^skipped: Not checked: (?:a scan is running|see runtime)/u;

/** Status, message and remedy for this scanner or its trigger. Feeds nothing. */
export async function selfTestOf(
  lab: Lab,
  subject: string,
  id: 'scanner' | 'trigger' = 'scanner',
): Promise<string> {
  let said = '';
  await until(SELF_TEST_MS, `the self-test to look at ${subject}`, async () => {
    const { body } = await lab.request('GET', '/self-test?refresh=true');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an answer of the service
    const { checks } = body as unknown as SelfTestResult;
    const found = checks.find((check) => check.id === id && check.subject === subject);
    said = `${found?.status}: ${found?.message} ${found?.remedy ?? ''}`.trimEnd();
    return found !== undefined && !HAD_NO_TIME.test(said) && !NOT_CHECKED.test(said);
  });
  return said;
}

/** Searches the bus again first, since the self-test reuses a recent search. */
export async function freshSelfTestOf(lab: Lab, device: string): Promise<string> {
  await lab.request('GET', '/scanners?refresh=true');
  return selfTestOf(lab, device);
}

export function says(said: string, pattern: RegExp): void {
  assert.match(said, pattern, `${String(pattern)} was expected of the self-test: ${said}`);
}

/** Width of thumbnails for comparing pages: letters vanish, lines and pictures remain. */
const THUMB = 60;
const THUMB_HEIGHT = 85;
/** Mean gray difference: below 3 for the same page scanned twice, above 8 for others. */
const ALIKE = 5;
/** Black and white pages differ more from the gray of letters. */
export const ALIKE_IN_BLACK = 8;

/** Checks that the stored raw pages look like these, in order. Undefined means white paper. */
export async function looksLike(
  lab: Lab,
  { body }: Answer,
  files: readonly (string | undefined)[],
  alike = ALIKE,
): Promise<void> {
  const names = Array.isArray(body['pages']) ? body['pages'].map(String) : [];
  assert.is(names.length, files.length);
  for (const [index, name] of names.entries()) {
    const raw = await lab.bytes(`/scans/${String(body['scan_id'])}/files/${name}`);
    const file = files[index];
    const white = { create: { width: 1, height: 1, channels: 3, background: 'white' } } as const;
    const expected = file === undefined ? sharp(white) : sharp(file);
    const difference = await differenceOf(raw, expected);
    assert.ok(difference < alike, `${name} differs from ${file ?? 'white paper'} by ${difference}`);
  }
}

async function differenceOf(raw: Buffer, expected: Sharp): Promise<number> {
  const [a, b] = await Promise.all([thumbnail(sharp(raw)), thumbnail(expected)]);
  return a.reduce((sum, value, index) => sum + Math.abs(value - (b[index] ?? 0)), 0) / a.length;
}

async function thumbnail(image: Sharp): Promise<Buffer> {
  return image
    .toColourspace('b-w')
    .resize(THUMB, THUMB_HEIGHT, { fit: 'fill' })
    .removeAlpha()
    .raw()
    .toBuffer();
}
