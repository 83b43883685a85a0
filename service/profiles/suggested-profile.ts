import { dump } from 'js-yaml';
import { A4, fitsOn, nearestPaper } from '../../helpers/paper.ts';
import { usualMode, usualResolution } from '../../helpers/scanner-words.ts';
import { FIRST_LINE_TITLE } from './title-template.ts';
import type { ListedScanner, SourceDescription } from '../scanner/scanner-list.ts';

/**
 * Returns a YAML profile: duplex if possible, gray, 300 dpi, A4. Undefined without known sources.
 */
export function suggestedProfile(
  { name, sources }: Pick<ListedScanner, 'name' | 'sources'>,
  dmsUrl: string | undefined,
): string | undefined {
  const source = usualSource(sources);
  if (!source) return undefined;
  return dump({
    name: 'my-profile',
    device: name,
    ...(source.source !== null && { source: source.source }),
    ...(source.sides.length > 1 && { sides: 'both' }),
    mode: usualMode(source.modes),
    resolution: usualResolution(source.resolutions),
    page_size: pageSizeOf(source.max_page),
    processing: { deskew: true },
    title: FIRST_LINE_TITLE,
    destinations: [{ kind: 'dms', base_url: dmsUrl ?? 'http://paperless:8000' }],
  });
}

function usualSource(sources: readonly SourceDescription[]): SourceDescription | undefined {
  return (
    sources.find(({ sides }) => sides.includes('both')) ??
    sources.find(({ feeder }) => feeder) ??
    sources[0]
  );
}

function pageSizeOf(largest: SourceDescription['max_page']): string | object {
  return !largest || fitsOn(A4, largest) ? 'a4' : nearestPaper(A4, largest);
}
