import type { Router } from '@koa/router';
import { Failure } from '../../../helpers/failure.ts';
import type { ListedScan, ScanArchive, ScanList } from '../../archive/scan-archive.ts';
import { SUMMARY } from '../../archive/scan-view.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import { detailsOf, type ScanDetails } from '../../archive/scan-details.ts';
import type { Scans } from '../../scan/call/scans.ts';
import { answerCall } from '../events/answer-call.ts';
import type { ScanWatchers } from '../events/scan-watchers.ts';
import { jsonBody } from '../json-body.ts';
import {
  asksToRestore,
  parseDiscardRequest,
  parseListRequest,
  parsePageEdit,
  parseResumeRequest,
  parseStopRequest,
  type ListRequest,
} from '../requests.ts';
import { findProfile } from './profiles.ts';

export interface StoredScanParts {
  readonly archive: ScanArchive;
  readonly scans: Scans;
  readonly profiles: ProfileStore;
  readonly watchers: ScanWatchers;
}

/** GET /scans, /scans/{scan_id} and its files; POST /scans/{scan_id}/stop and /resume. */
export function storedScanRoutes(
  router: Router,
  { archive, scans, profiles, watchers }: StoredScanParts,
): void {
  // Callers that get the same list share its serialized form.
  const bodies = new WeakMap<ScanList, Buffer>();
  router.get('/scans', async (ctx) => {
    const request = parseListRequest(ctx.query);
    ctx.type = 'json';
    if (request.fed !== undefined || request.search !== undefined) {
      const { scans: found, next } = await findScans(archive, request);
      ctx.body = { scans: found.map(scanSummaryBody), next };
      return;
    }
    const list = await archive.list(request.limit, request.before);
    const body = bodies.get(list) ?? Buffer.from(JSON.stringify(scanListBody(list)));
    bodies.set(list, body);
    ctx.body = body;
  });

  router.get('/scans/:scan_id', async (ctx) => {
    const { record, isOpen } = await archive.find(ctx.params['scan_id'] ?? '');
    ctx.body = detailsOf(record, isOpen);
  });

  router.get('/scans/:scan_id/files/:name', async (ctx) => {
    const name = ctx.params['name'] ?? '';
    const file = await archive.openFile(ctx.params['scan_id'] ?? '', name);
    ctx.type = file.type;
    ctx.set('Content-Disposition', `inline; filename="${ctx.params['scan_id']}-${name}"`);
    // The file may grow. Sends only the announced length.
    ctx.body = file.handle.createReadStream({ end: Math.max(0, file.bytes - 1) });
    // Koa removes the Content-Length when the body becomes a stream.
    ctx.length = file.bytes;
  });

  router.post('/scans/:scan_id/stop', jsonBody(), async (ctx) => {
    const id = ctx.params['scan_id'] ?? '';
    parseStopRequest(ctx.request.body);
    ctx.status = 202;
    ctx.body = { scan_id: id, stopping: await scans.stop(id) };
  });

  router.post('/scans/:scan_id/resume', jsonBody(), async (ctx) => {
    const { profile, ...request } = parseResumeRequest(ctx.request.body);
    const options = {
      ...request,
      profile: profile === undefined ? undefined : findProfile(profiles, profile),
    };
    const id = ctx.params['scan_id'] ?? '';
    await answerCall(ctx, watchers, (onStart) => scans.resume(id, options, onStart));
  });
}

/** Scans to search per request. `next` lets the caller search on. */
const MAX_LOOKED_AT = 1000;

interface FoundScans {
  readonly scans: readonly ListedScan[];
  /** Where the next request continues. Null at the end of the list. */
  readonly next: string | null;
}

async function findScans(
  archive: Pick<ScanArchive, 'list'>,
  request: ListRequest,
): Promise<FoundScans> {
  const { limit } = request;
  const found: ListedScan[] = [];
  let { before } = request;
  for (let looked = 0; looked < MAX_LOOKED_AT; looked += limit) {
    const { scans, more } = await archive.list(limit, before);
    for (const scan of scans) {
      before = scan.id;
      if (isWanted(scan, request)) found.push(scan);
      const isLast = !more && scan === scans.at(-1);
      if (found.length === limit) return { scans: found, next: isLast ? null : before };
    }
    if (!more) return { scans: found, next: null };
  }
  return { scans: found, next: before ?? null };
}

/** Lists an unreadable scan, so that people notice it. A search finds it only by its id. */
function isWanted({ id, summary }: ListedScan, { fed, search }: ListRequest): boolean {
  if (fed === true && summary?.page_count === 0 && summary.state !== 'scanning') return false;
  if (search === undefined) return true;
  const text = `${summary?.title ?? ''} ${summary?.profile ?? ''} ${id}`.toLowerCase();
  return text.includes(search.toLowerCase());
}

function scanListBody({ scans, more }: ScanList): object {
  return { scans: scans.map(scanSummaryBody), next: more ? (scans.at(-1)?.id ?? null) : null };
}

function scanSummaryBody({ id, summary }: ListedScan): object {
  return summary ?? { ...UNREADABLE, scan_id: id, state: 'unreadable' };
}

const UNREADABLE = Object.fromEntries(SUMMARY.map((field) => [field, null]));

/** PATCH /scans/{scan_id}/pages/{page} and POST /scans/{scan_id}/discard. */
export function scanEditRoutes(
  router: Router,
  { scans }: { readonly scans: Pick<Scans, 'editPage' | 'restorePage' | 'discard'> },
): void {
  router.patch('/scans/:scan_id/pages/:page', jsonBody(), async (ctx) => {
    const { scan_id: id = '', page = '' } = ctx.params;
    const { body } = ctx.request;
    const edit = asksToRestore(body) ? undefined : parsePageEdit(body);
    if (!/^[1-9]\d{0,8}$/.test(page)) {
      throw new Failure('not_found', 'Pages have whole numbers, from 1.', {
        remedy: 'GET /scans/{scan_id} lists them.',
      });
    }
    const number = Number(page);
    ctx.body = editedBody(
      edit ? await scans.editPage(id, number, edit) : await scans.restorePage(id, number),
    );
  });

  router.post('/scans/:scan_id/discard', jsonBody(), async (ctx) => {
    const { discarded } = parseDiscardRequest(ctx.request.body);
    ctx.body = editedBody(await scans.discard(ctx.params['scan_id'] ?? '', discarded));
  });
}

type EditedBody = Pick<ScanDetails, 'scan_id' | 'state' | 'page_count' | 'page_states'>;

function editedBody({ scan_id, state, page_count, page_states }: ScanDetails): EditedBody {
  return { scan_id, state, page_count, page_states };
}
