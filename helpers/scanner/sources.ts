import { settable } from './device-description.ts';
import type { ScannerOption } from './option-lines.ts';

/**
 * What a source does with paper, from its name: SANE has no other way to tell. Names seen: Flatbed, Normal, Transparency
 * Unit, ADF, ADF Front, ADF Duplex, Card Front, Automatic Document Feeder, adf, fb, Auto.
 */
const FEEDER = /adf|feed|duplex|card|sheet/iu;
const FLATBED = /flat|^fb$|normal|transparen|tpu|film|slide|negative/iu;

/** Whether it takes sheet after sheet; all others would scan the same glass for ever and get one page. */
export function isFeeder(source: string | undefined): boolean {
  return source !== undefined && FEEDER.test(source);
}

/** Whether a name says neither feeder nor flatbed: one page is scanned, and a person is told. */
export function isUnknownSource(source: string | undefined): boolean {
  return source !== undefined && !FEEDER.test(source) && !FLATBED.test(source);
}

/**
 * Whether each sheet gives two pages: by the source, or by an option beside it (epson2, kvs20xx), as it is asked for or else as
 * the device has it.
 */
export function isDuplex(
  source: string | undefined,
  asked: Readonly<Record<string, string | number | boolean>>,
  device: readonly ScannerOption[],
): boolean {
  const inUse = (name: string): string => String(asked[name] ?? settable(device, name)?.current);
  const byOption = /^(?:true|yes)$/u.test(inUse('duplex')) || /duplex/iu.test(inUse('adf-mode'));
  return isFeeder(source) && (byOption || /duplex/iu.test(source ?? ''));
}
