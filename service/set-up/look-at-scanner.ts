import { messageOf } from '../../helpers/error-code.ts';
import { isDeviceName } from '../../helpers/device-names.ts';
import type { Device, DeviceDescription } from '../../helpers/ipc/messages.ts';
import type { ScannerClient } from '../scanner/scanner-client.ts';
import { deviceName, findEscl } from './network-scanner.ts';
import { messageFor, type Message } from './texts/texts.ts';

/** `escl` is the address if this is a network scanner. */
export interface ChosenScanner {
  readonly device: string;
  readonly escl: string | undefined;
  /** Undefined if the scanner does not answer. */
  readonly description: DeviceDescription | undefined;
}

export type ScannerLook =
  | { readonly kind: 'found'; readonly scanner: ChosenScanner }
  | { readonly kind: 'none'; readonly message: Message };

/** Matches a URL, a host, perhaps with a port, or an IPv6 address, but not `backend:device`. */
const ADDRESS = /^(?:https?:\/\/.*|[a-z0-9.-]+(?::\d{1,5})?|[0-9a-f:]+)$/iu;

/** Reads the options of a scanner that was listed, or given by address or device name. */
export async function lookAtScanner(
  scanner: Pick<ScannerClient, 'describeDevice'>,
  wanted: Pick<Device, 'name'> | string,
): Promise<ScannerLook> {
  // The name of a listed scanner may look like an address.
  if (typeof wanted !== 'string') return describe(scanner, wanted.name, undefined);
  const isAddress = ADDRESS.test(wanted);
  if (!isAddress && !isDeviceName(wanted)) return none('scanner.not_an_address', { given: wanted });
  if (!isAddress) return describe(scanner, wanted, undefined);
  const search = await findEscl(wanted);
  if (search.kind === 'found') return describe(scanner, deviceName(search.url), search.url);
  if (search.reasons.length === 0) return none('scanner.not_an_address', { given: wanted });
  const reasons = search.reasons.map((reason) => `  ${reason}`).join('\n');
  return none('scanner.no_answer', { address: wanted, reasons });
}

async function describe(
  scanner: Pick<ScannerClient, 'describeDevice'>,
  device: string,
  escl: string | undefined,
): Promise<ScannerLook> {
  try {
    const signal = new AbortController().signal;
    const description = await scanner.describeDevice(device, undefined, signal);
    return { kind: 'found', scanner: { device, escl, description } };
  } catch (error) {
    return none('scanner.refused', { message: messageOf(error) });
  }
}

function none(key: Message['key'], facts: Message['facts']): ScannerLook {
  return { kind: 'none', message: messageFor(key, facts) };
}

/** Leaves out cameras, which SANE lists too. */
export function scannersIn<One extends Device>(devices: readonly One[]): readonly One[] {
  return devices.filter(({ name }) => !name.startsWith('v4l:'));
}

/** True if the last set-up chose this scanner, perhaps by its address. */
export function isEarlierScanner(
  { name, vendor, model, type }: Device,
  earlier: string | undefined,
): boolean {
  if (earlier === undefined) return false;
  if (name === earlier) return true;
  const [, called, url = ''] = /^airscan:escl:([^:]*):(.*)$/u.exec(earlier) ?? [];
  if (called === undefined) return `${vendor} ${model}`.includes(earlier);
  return called === model && type === `ip=${URL.parse(url)?.hostname}`;
}
