import type { Router } from '@koa/router';
import { Failure } from '../../../helpers/failure.ts';
import type { ScanDetails } from '../../archive/scan-details.ts';
import type { Scans } from '../../scan/call/scans.ts';
import { parseDiscardRequest, parsePageEdit } from '../edit-requests.ts';
import { jsonBody } from '../json-body.ts';

/** PATCH /scans/{scan_id}/pages/{page} and POST /scans/{scan_id}/discard: what a person decides before a scan is filed. */
export function scanEditRoutes(
  router: Router,
  { scans }: { readonly scans: Pick<Scans, 'editPage' | 'discard'> },
): void {
  router.patch('/scans/:scan_id/pages/:page', jsonBody(), async (ctx) => {
    const { scan_id: id = '', page = '' } = ctx.params;
    const edit = parsePageEdit(ctx.request.body);
    if (!/^[1-9]\d{0,8}$/.test(page)) {
      throw new Failure('not_found', 'Pages have whole numbers, from 1.', {
        remedy: 'GET /scans/{scan_id} lists them.',
      });
    }
    ctx.body = editedBody(await scans.editPage(id, Number(page), edit));
  });

  router.post('/scans/:scan_id/discard', jsonBody(), async (ctx) => {
    const discarded = parseDiscardRequest(ctx.request.body);
    ctx.body = editedBody(await scans.discard(ctx.params['scan_id'] ?? '', discarded));
  });
}

/** What an edit can change. */
type EditedBody = Pick<ScanDetails, 'scan_id' | 'state' | 'page_count' | 'page_states'>;

function editedBody({ scan_id, state, page_count, page_states }: ScanDetails): EditedBody {
  return { scan_id, state, page_count, page_states };
}
