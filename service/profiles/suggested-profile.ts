import { dump } from 'js-yaml';
import type { ListedScanner, SourceDescription } from '../scanner/scanner-list.ts';

/** What most people scan with, where the scanner offers it. */
const USUAL_DPI = 300;
const USUAL_MODE = 'Gray';
const A4 = { width_mm: 210, height_mm: 297 };

/** Half a millimetre less is A4 all the same. */
const TOLERANCE_MM = 0.5;

/**
 * A profile for a scanner, as the text of a file to copy: both sides from the feeder where it can, in gray at 300 dpi, A4.
 * Undefined where nothing is known of its sources.
 */
export function suggestedProfile(
  { name, sources }: Pick<ListedScanner, 'name' | 'sources'>,
  dmsUrl: string | undefined,
): string | undefined {
  const source =
    sources.find((one) => /duplex/i.test(one.source ?? '')) ??
    sources.find((one) => /adf|feed/i.test(one.source ?? '')) ??
    sources[0];
  if (!source) return undefined;
  return dump({
    name: 'my-profile',
    device: name,
    ...(source.source !== null && { source: source.source }),
    mode: source.modes.includes(USUAL_MODE) ? USUAL_MODE : (source.modes[0] ?? USUAL_MODE),
    resolution: resolutionOf(source.resolutions),
    page_size: pageSizeOf(source.max_page),
    destinations: [{ kind: 'dms', base_url: dmsUrl ?? 'http://paperless:8000' }],
  });
}

function resolutionOf(offered: SourceDescription['resolutions']): number {
  if ('min' in offered) return Math.min(Math.max(USUAL_DPI, offered.min), offered.max);
  const nearest = offered.toSorted((a, b) => Math.abs(a - USUAL_DPI) - Math.abs(b - USUAL_DPI));
  return nearest[0] ?? USUAL_DPI;
}

function pageSizeOf(largest: SourceDescription['max_page']): string | object {
  const { width_mm, height_mm } = largest ?? A4;
  const fits = width_mm + TOLERANCE_MM >= A4.width_mm && height_mm + TOLERANCE_MM >= A4.height_mm;
  return fits ? 'a4' : { width_mm: Math.floor(width_mm), height_mm: Math.floor(height_mm) };
}
