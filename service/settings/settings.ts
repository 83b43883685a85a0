import Joi from 'joi';
import { languagesRule } from '../../helpers/processor-contract.ts';
import { deviceName } from '../../helpers/scanner-text.ts';
import { endpointOf } from '../paperless/endpoint.ts';

/** In SETTINGS_DIR. */
export const SETTINGS_FILE = 'settings.json';

/** A scanner chosen in the browser. */
export interface ChosenScanner {
  /** The device, as in a profile. */
  readonly device: string;
  /** The displayed name. */
  readonly name: string;
  /** What the scanner can do. */
  readonly kinds: readonly ScannerKind[];
}

/** One side of each sheet, both sides of each sheet, or the glass. */
export type ScannerKind = (typeof SCANNER_KINDS)[number];

const SCANNER_KINDS = ['feeder', 'both_sides', 'glass'] as const;

/** Settings made in the browser. The operator's environment takes precedence. */
export interface Settings {
  /** Address of destinations that name none. */
  readonly dms_url?: string;
  readonly time_zone?: string;
  /** The scanner of profiles that name no device. */
  readonly scanner?: ChosenScanner;
  /** The OCR languages of profiles that name none. Some may not be installed. */
  readonly languages?: readonly string[];
  /** Shipped profiles that the page does not show. */
  readonly hidden_profiles?: readonly string[];
  /** Who may use the appliance: people with the password, or everybody. */
  readonly house?: 'password' | 'open';
  /** ISO 8601 times of the set-up in the browser. */
  readonly begun_at?: string;
  readonly finished_at?: string;
}

const text = Joi.string();

function address(value: string, helpers: Joi.CustomHelpers<string>): string | Joi.ErrorReport {
  return endpointOf(value) ? value : helpers.error('string.base');
}

/** Keeps fields that a newer version wrote. */
const schema = Joi.object<Settings>({
  dms_url: text
    .custom(address)
    .messages({ '*': '{{#label}} must be an http:// or https:// address' }),
  time_zone: text.max(64),
  scanner: Joi.object<ChosenScanner>({
    device: deviceName.required(),
    name: text.required(),
    kinds: Joi.array()
      .items(Joi.valid(...SCANNER_KINDS))
      .required(),
  }).unknown(),
  languages: languagesRule,
  hidden_profiles: Joi.array().items(text),
  house: Joi.valid('password', 'open'),
  begun_at: text,
  finished_at: text,
}).unknown();

/** Throws an Error whose message continues a sentence that starts with the file's name. */
export function parseSettings(text: string): Settings {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new Error('is not JSON');
  }
  const { value, error } = schema.validate(given, { convert: false });
  if (error) throw new Error(`has a mistake: ${error.message}`);
  return Object.freeze(value);
}

export function textOfSettings(settings: Settings): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}
