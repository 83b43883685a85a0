import { lastingName, matchesDevice } from '../../helpers/device-names.ts';
import { fitsOn, PAGE_SIZES } from '../../helpers/paper.ts';
import type { Sides } from '../../helpers/ipc/messages.ts';
import { grayMode, modeKind, type ModeKind } from '../../helpers/scanner-words.ts';
import type { Profile } from '../profiles/profile.ts';
import type { ListedScanner, SourceDescription } from './scanner-list.ts';

/** Choices for one source of a scanner, as in `settings` of POST /scan. */
export interface SourceChoice {
  /** Null if the scanner has no choice of sources. */
  readonly source: string | null;
  /** Null if the source determines them. */
  readonly sides: Sides | null;
  readonly kind: 'feeder' | 'both_sides' | 'glass';
  readonly modes: readonly { readonly mode: string; readonly kind: ModeKind }[];
  readonly resolutions: readonly number[];
  readonly page_sizes: readonly string[];
}

const OFFERED_DPI = [150, 200, 300, 600];

const LINEART = 'Lineart';

export function choicesOf({ sources }: Pick<ListedScanner, 'sources'>): SourceChoice[] {
  return sources.flatMap((one) =>
    one.sides.map((sides) => ({
      source: one.source,
      sides: one.sides.length > 1 ? sides : null,
      kind: !one.feeder ? 'glass' : sides === 'both' ? 'both_sides' : 'feeder',
      modes: modesOf(one.modes),
      resolutions: OFFERED_DPI.filter((dpi) => offers(one.resolutions, dpi)),
      page_sizes: sizesOf(one),
    })),
  );
}

/** Offers black and white even if the driver does not: gray is converted. */
function modesOf(offered: readonly string[]): SourceChoice['modes'] {
  const isMade = grayMode(offered) !== undefined && !offered.includes(LINEART);
  const kinds = new Map<ModeKind, string>();
  for (const mode of isMade ? [...offered, LINEART] : offered) {
    const kind = modeKind(mode);
    if (kind && !kinds.has(kind)) kinds.set(kind, mode);
  }
  return [...kinds].map(([kind, mode]) => ({ mode, kind }));
}

function offers(resolutions: SourceDescription['resolutions'], dpi: number): boolean {
  if ('min' in resolutions) return dpi >= resolutions.min && dpi <= resolutions.max;
  return resolutions.includes(dpi);
}

function sizesOf({ max_page }: Pick<SourceDescription, 'max_page'>): string[] {
  const fitting = [...PAGE_SIZES].filter(([, size]) => fitsOn(size, max_page));
  return ['auto', ...fitting.map(([name]) => name)];
}

/** Returns the names of the profiles that use this scanner, given all that were found. */
export function profilesFor(
  scanner: ListedScanner,
  all: readonly ListedScanner[],
  profiles: readonly Pick<Profile, 'name' | 'device'>[],
): string[] {
  const means = ({ device }: Pick<Profile, 'device'>): boolean => {
    if (device === 'auto') return all.length === 1;
    return (
      device === scanner.name ||
      device === lastingName(scanner, all) ||
      matchesDevice(scanner, device)
    );
  };
  return profiles.filter(means).map(({ name }) => name);
}
