import type { ScanRequest } from '../ipc/messages.ts';
import { namesDuplex, namesFeeder } from '../scanner-words.ts';
import { hasBothSidesOn, sidesOption } from './both-sides.ts';
import type { ScannerOption } from './option-lines.ts';
import { PAGE_HEIGHT_OPTIONS, PAGE_WIDTH_OPTIONS } from './scan-area.ts';

export interface SourceInUse {
  /** The requested or current source; undefined if the scanner has no source option. */
  readonly name: string | undefined;
  readonly feeder: boolean;
  /** True if each sheet has two pages, by the source's name or by a separate option. */
  readonly duplex: boolean;
}

/** Active only on sheet-fed scanners (genesys, epjitsu, fujitsu, kodak). */
const OF_SHEET_FED: readonly string[] = [
  'page-loaded',
  'eject',
  ...PAGE_WIDTH_OPTIONS,
  ...PAGE_HEIGHT_OPTIONS,
];

/** `sheetFed` comes from the device list, and decides if the scanner has no source option. */
export function sourceInUse(
  request: Pick<ScanRequest, 'source' | 'scanner_options'>,
  options: readonly ScannerOption[],
  sheetFed = false,
): SourceInUse {
  const active = options.filter((option) => option.active);
  const name = request.source ?? active.find((option) => option.name === 'source')?.current;
  const isSheetFed =
    sheetFed ||
    sidesOption(options) !== undefined ||
    active.some((option) => OF_SHEET_FED.includes(option.name));
  const feeder = name === undefined ? isSheetFed : namesFeeder(name);
  const duplex = namesDuplex(name ?? '') || hasBothSidesOn(request, options);
  return { name, feeder, duplex: feeder && duplex };
}
