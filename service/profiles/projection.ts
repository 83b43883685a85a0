import type { Destination } from '../paperless/destination.ts';
import type { Profile } from './profile.ts';

const NO_DESTINATION: Record<keyof Destination, null> = {
  kind: null,
  base_url: null,
  public_url: null,
  token_secret: null,
  tags: null,
  correspondent: null,
  document_type: null,
  storage_path: null,
  create_missing: null,
  title: null,
};

/**
 * Returns the body of GET /profiles/{name}. Its fields are named as in docs/specification.md.
 * Contains names of secrets, but no secrets. Optional fields are null.
 */
export function projectProfile(profile: Profile): Record<string, unknown> {
  const { label = null, icon = null, source = null, sides = null, trigger = null } = profile;
  const { assembly, scanner_options } = profile;
  const { barcodes = null } = assembly;
  const shown = {
    ...profile,
    label,
    icon,
    source,
    sides,
    assembly: { ...assembly, barcodes },
    destinations: profile.destinations.map((one) => ({ ...NO_DESTINATION, ...one })),
    trigger: trigger && 'button' in trigger ? { function: null, ...trigger } : trigger,
  };
  // Names of SANE options stay as they are.
  return { ...capitalized(shown), ScannerOptions: scanner_options };
}

function capitalized(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [nameOf(name), valueOf(value)]),
  );
}

function valueOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(valueOf);
  return typeof value === 'object' && value !== null ? capitalized(value) : value;
}

/** Words to write in capitals: `base_url` becomes BaseURL. */
const CAPITALS = ['url', 'ocr', 'mm'];

/** Also capitalizes the languages of a label: `En`, `De`. */
function nameOf(field: string): string {
  const words = field.split('_');
  return words
    .map((word) =>
      CAPITALS.includes(word)
        ? word.toUpperCase()
        : `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
    )
    .join('');
}
