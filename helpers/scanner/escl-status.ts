import { readdir } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import path from 'node:path';
import { networkAddress } from '../device-names.ts';
import { errorCode } from '../error-code.ts';
import { Failure } from '../failure.ts';
import { createFileReader } from '../outside-files.ts';

export const AIRSCAN = /^airscan:/u;

/** Devices with a name from sane-airscan's configuration. */
const BY_NAME = /^airscan:e\d+:(?<name>.+)$/u;

/** `"Office" = http://192.168.1.50/eSCL, eSCL` */
const CONFIGURED =
  /^\s*(?:"(?<quoted>[^"]*)"|(?<plain>[^\s"=#;]+))\s*=\s*(?<url>https?:\/\/[^\s,]+)\s*(?:,\s*(?<protocol>\w+))?/u;

/** Read by sane-airscan in addition to SANE_CONFIG_DIR. */
const ALWAYS_READ = '/etc/sane.d';

/** Scanners respond within milliseconds, or within seconds while waking up. */
const STATUS_TIMEOUT_MS = 5000;

/** A typical configuration has a few hundred lines. */
const MAX_CONFIG_BYTES = 1024 * 1024;

/** Scanners redirect to HTTPS, and to the host name that they require. */
const MOST_REDIRECTS = 3;

/** A status takes about 5 kB, as scanners remember ten jobs. */
const MAX_STATUS_BYTES = 256 * 1024;

/**
 * The eSCL address of a sane-airscan device. Undefined for other protocols, and for devices
 * discovered on the network, whose address sane-airscan does not reveal.
 */
export async function esclAddress(
  device: string,
  saneConfigDir: string,
): Promise<string | undefined> {
  const address = networkAddress(device);
  const name = BY_NAME.exec(device)?.groups?.['name'];
  if (address !== undefined || name === undefined) return address;
  const read = createFileReader({ maxBytes: MAX_CONFIG_BYTES });
  for (const directory of [...saneConfigDir.split(':'), ALWAYS_READ]) {
    const extra = path.join(directory, 'airscan.d');
    const more = (await readdir(extra).catch((): string[] => [])).toSorted();
    const files = [
      path.join(directory, 'airscan.conf'),
      ...more.map((one) => path.join(extra, one)),
    ];
    for (const file of files) {
      const found = addressIn(await read(file).catch(() => ''), name);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function addressIn(config: string, name: string): string | undefined {
  for (const line of config.split('\n')) {
    const { quoted, plain, url, protocol = 'escl' } = CONFIGURED.exec(line)?.groups ?? {};
    if ((quoted ?? plain) === name && protocol.toLowerCase() === 'escl') return url;
  }
  return undefined;
}

/**
 * True if an idle scanner's feeder has paper. Undefined in other states, such as scanning, jammed
 * or open. Throws `Failure` if the scanner reports no status.
 */
export async function readAdfState(
  address: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const url = `${address.replace(/\/$/u, '')}/ScannerStatus`;
  const status = await getText(url, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    const reason = reasonOf(cause);
    const what = `The scanner at ${address} does not report its status (${reason}).`;
    const remedy = 'Switch it on, and check its address.';
    throw new Failure('no_scanner_detected', what, { remedy, cause });
  });
  if (textOf(status, 'State') !== 'Idle') return undefined;
  const states = new Map([
    ['ScannerAdfLoaded', true],
    ['ScannerAdfEmpty', false],
  ]);
  return states.get(textOf(status, 'AdfState') ?? '');
}

function reasonOf(cause: unknown): string {
  const code = errorCode(cause);
  if (code === 'ABORT_ERR') return `no answer within ${STATUS_TIMEOUT_MS / 1000} s`;
  return code ?? (cause instanceof Error ? cause.message : 'unknown error');
}

/** The text of the first such element. The scanner's state precedes the states of its jobs. */
function textOf(xml: string, name: string): string | undefined {
  return new RegExp(`<(?:[\\w-]+:)?${name}>([^<]*)<`, 'u').exec(xml)?.[1]?.trim();
}

async function getText(url: string, signal: AbortSignal, redirects = 0): Promise<string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(STATUS_TIMEOUT_MS)]);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const get = url.startsWith('https:') ? httpsGet : httpGet;
    // Self-signed certificates are usual, and sane-airscan accepts them. Nothing secret is sent.
    get(url, { signal: limit, agent: false, rejectUnauthorized: false }, resolve).on(
      'error',
      reject,
    );
  });
  try {
    const elsewhere = redirects < MOST_REDIRECTS ? redirectOf(url, response) : undefined;
    if (elsewhere !== undefined) return await getText(elsewhere, limit, redirects + 1);
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_STATUS_BYTES) throw new Error('a status without an end');
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    response.destroy();
  }
}

/**
 * Follows redirects as sane-airscan does: ipp-usb responds only at the name `localhost`, other
 * scanners only over HTTPS. Undefined for another machine, which is not the profile's scanner.
 */
function redirectOf(url: string, { headers, statusCode = 0 }: IncomingMessage): string | undefined {
  const { location } = headers;
  if (statusCode < 300 || statusCode > 399 || location === undefined) return undefined;
  if (!URL.canParse(location, url)) return undefined;
  const to = new URL(location, url);
  const isSame = machineOf(to) === machineOf(new URL(url));
  return isSame && /^https?:$/u.test(to.protocol) ? to.href : undefined;
}

function machineOf({ hostname }: URL): string {
  return hostname === 'localhost' ? '127.0.0.1' : hostname;
}
