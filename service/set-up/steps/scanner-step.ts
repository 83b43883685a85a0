import { lastingName } from '../../../helpers/device-names.ts';
import { isMissing } from '../../../helpers/error-code.ts';
import { Failure } from '../../../helpers/failure.ts';
import type { ScannerClient } from '../../scanner/scanner-client.ts';
import { choicesOf } from '../../scanner/scanner-choices.ts';
import {
  describeScanner,
  type ListedScanner,
  type ScannerList,
} from '../../scanner/scanner-list.ts';
import type { OwnFiles } from '../../settings/own-files.ts';
import type { ChosenScanner } from '../../settings/settings.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { glassProfile, hasOnlyGlass } from '../glass-profile.ts';
import { scannersIn } from '../look-at-scanner.ts';
import { deviceName, findEsclGuarded, type AddressGuard } from '../network-scanner.ts';
import { isWrittenInSettings } from '../profiles/profile-file.ts';
import { messageFor, textOf, type Message, type TextKey } from '../texts/texts.ts';
import type { AskLimit } from './ask-limit.ts';
import { storing, textsOf } from './refusals.ts';

/**
 * Sets the scanner of profiles that name none: from the list, or by its address. Throws Failure
 * `no_scanner_detected`, `too_many_requests` or `insufficient_storage`, and like the list.
 */
export type ScannerStep = (wanted: string) => Promise<ChosenScanner>;

export interface ScannerStepOptions {
  readonly scanner: Pick<ScannerClient, 'describeDevice'>;
  readonly list: (refresh: boolean) => Promise<ScannerList>;
  readonly files: OwnFiles;
  readonly settings: Pick<SettingsStore, 'change'>;
  /** Loads the profiles with the new scanner. */
  readonly reload: () => Promise<void>;
  readonly limit: AskLimit;
  readonly guard?: AddressGuard;
}

/** For reading the options of all sources. A sleeping scanner takes seconds. */
const LOOK_MS = 45_000;

/** Overrides the shipped profile, which needs a feeder. */
const DEFAULT_FILE = 'profiles/default.yaml';

export function createScannerStep(options: ScannerStepOptions): ScannerStep {
  const { list, files, settings, reload, limit } = options;
  return async (wanted) =>
    limit(async () => {
      const { scanners } = await list(false);
      const listed = scannersIn(scanners).find(({ name }) => name === wanted);
      const found = listed ?? (await atAddress(wanted, options));
      if (found.problem !== null) {
        throw unusable(refusalOf(found.problem));
      }
      const device = listed ? lastingName(listed, scanners) : found.name;
      const chosen = { device, name: shownName(found), kinds: kindsOf(found) };
      await storing(files, async () => {
        const needsGlass = hasOnlyGlass(chosen);
        const isPersons = await hasPersonsDefault(files);
        if (needsGlass && !isPersons) {
          // Damaged settings are noticed before the profile counts.
          await settings.change({});
          await files.write(DEFAULT_FILE, glassProfile(found.sources[0]));
        }
        await settings.change({ scanner: chosen });
        // The profile stays if the setting cannot be written.
        if (!needsGlass && !isPersons) await files.remove(DEFAULT_FILE);
      });
      await reload();
      return chosen;
    });
}

/** True if a person changed the default profile in Settings. */
async function hasPersonsDefault(files: OwnFiles): Promise<boolean> {
  try {
    return isWrittenInSettings(await files.read(DEFAULT_FILE));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function atAddress(
  wanted: string,
  { scanner, guard }: ScannerStepOptions,
): Promise<ListedScanner> {
  const found = await findEsclGuarded(wanted.trim(), guard);
  if (typeof found === 'string') {
    const shown = withoutSecrets(wanted);
    throw unusable(messageFor(`scanner.${found}`, { given: shown, address: shown }));
  }
  const device = { name: deviceName(found.url), vendor: '', model: '', type: '' };
  return describeScanner(device, scanner, AbortSignal.timeout(LOOK_MS));
}

/** Leaves out a user name, a password and a query. */
function withoutSecrets(address: string): string {
  return address.replaceAll(/[^\s/]*@/gu, '…@').replace(/[?#].*$/su, '…');
}

/** For a scanner at an address, only the host is known. */
function shownName({ name, vendor, model }: ListedScanner): string {
  const url = name.slice(deviceName('').length);
  // sane-airscan gives the protocol as the vendor.
  const known = vendor === 'eSCL' || vendor === 'WSD' ? model : `${vendor} ${model}`;
  return known.trim() || (URL.parse(url)?.host ?? name);
}

function kindsOf(scanner: ListedScanner): ChosenScanner['kinds'] {
  return [...new Set(choicesOf(scanner).map(({ kind }) => kind))];
}

const REFUSALS: Readonly<Record<string, TextKey>> = {
  no_scanner_detected: 'scanner.silent',
  timeout: 'scanner.silent',
  scanner_busy: 'scanner.busy',
  scanner_busy_elsewhere: 'scanner.busy',
  scanner_runtime_unreachable: 'scanner.no_runtime',
};

function refusalOf({ error }: Readonly<Record<string, unknown>>): Message {
  return messageFor(REFUSALS[String(error)] ?? 'scanner.failed');
}

function unusable(message: Message): Failure {
  return new Failure('no_scanner_detected', textOf(message), { facts: textsOf(message) });
}
