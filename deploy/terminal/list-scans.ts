import { counted } from '../../helpers/counted.ts';
import type { ScanSummary } from '../../service/archive/scan-view.ts';
import { ask, plainAnswer, unreachable, type Service } from './ask-service.ts';
import type { Answer } from './outcome.ts';

const LISTED = 20;

/** The newest scans that fed paper. Throws a ClientError if there is no response. */
export async function askForScans(service: Service): Promise<Answer> {
  try {
    return await plainAnswer(await ask(service, `/scans?fed=true&limit=${LISTED}`));
  } catch (error) {
    throw unreachable(service, error);
  }
}

/** One line per scan, newest first. */
export function describeScans({ body }: Answer): string {
  const { scans } = body as unknown as { readonly scans: readonly ScanSummary[] };
  return scans.length === 0 ? 'There are no scans yet.' : scans.map(lineOf).join('\n');
}

function lineOf(scan: ScanSummary): string {
  const { scan_id, state, page_count, kept_page_count, document_count, title, profile } = scan;
  const { failed_deliveries } = scan;
  const counts = [
    counted(kept_page_count ?? page_count, 'page'),
    counted(document_count, 'document'),
    ...(failed_deliveries > 0 ? [`${failed_deliveries} not delivered`] : []),
  ];
  return [scan_id, state.padEnd(STATE_WIDTH), counts.join(', '), title ?? profile].join('  ');
}

/** The longest common state, `interrupted`. */
const STATE_WIDTH = 11;
