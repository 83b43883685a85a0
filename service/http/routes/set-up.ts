import type { Router } from '@koa/router';
import { Failure } from '../../../helpers/failure.ts';
import type { DmsDestination } from '../../paperless/destination.ts';
import type { Names } from '../../paperless/names/names.ts';
import { systemOf } from '../../paperless/endpoint.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import { lastingName } from '../../../helpers/device-names.ts';
import { suggestedProfile } from '../../profiles/suggested-profile.ts';
import { choicesOf, profilesFor } from '../../scanner/scanner-choices.ts';
import type { ScannerList } from '../../scanner/scanner-list.ts';
import { unkeyed } from '../../self-test/check.ts';
import type { SelfTest } from '../../self-test/self-test.ts';
import { parseProfileQuery, parseRefresh } from '../requests.ts';
import { findProfile } from './profiles.ts';

export interface SetUpParts {
  readonly profiles: ProfileStore;
  readonly selfTest: SelfTest;
  readonly scannerList: (refresh: boolean) => Promise<ScannerList>;
  readonly names: (signal: AbortSignal) => Pick<Names, 'list'>;
  readonly dmsUrl: () => string | undefined;
}

const LISTS = ['tags', 'correspondents', 'document_types', 'storage_paths'] as const;

const LIST_MS = 8000;

/** GET /self-test, /scanners and /metadata/{list}. */
export function setUpRoutes(router: Router, parts: SetUpParts): void {
  const { profiles, selfTest, scannerList, names, dmsUrl } = parts;

  router.get('/self-test', async (ctx) => {
    const { refresh } = parseRefresh(ctx.query);
    const { checks, ...result } = await selfTest(refresh);
    ctx.body = { ...result, checks: checks.map(unkeyed) };
  });

  router.get('/scanners', async (ctx) => {
    const { refresh } = parseRefresh(ctx.query);
    ctx.body = scannersBody(await scannerList(refresh), profiles.list(), dmsUrl());
  });

  router.get('/metadata/:list', async (ctx, next) => {
    const list = LISTS.find((name) => name === ctx.params['list']);
    if (list === undefined) return next();
    const { profile } = parseProfileQuery(ctx.query);
    const [destination] = findProfile(profiles, profile).destinations;
    ctx.body = { [list]: destination ? await listed(destination, list, names) : [] };
  });
}

/** Body of GET /scanners. */
export function scannersBody(
  { looked_at, scanners }: ScannerList,
  profiles: readonly Profile[],
  dmsUrl: string | undefined,
): object {
  return {
    looked_at,
    scanners: scanners.map((scanner) => ({
      ...scanner,
      choices: choicesOf(scanner),
      profiles: profilesFor(scanner, scanners, profiles),
      profile:
        suggestedProfile({ ...scanner, name: lastingName(scanner, scanners) }, dmsUrl) ?? null,
    })),
  };
}

async function listed(
  destination: DmsDestination,
  list: (typeof LISTS)[number],
  names: SetUpParts['names'],
): Promise<object[]> {
  const signal = AbortSignal.timeout(LIST_MS);
  const known = await names(signal).list(destination, list);
  if (known.kind === 'objects') return known.objects.map(({ id, name }) => ({ id, name }));
  const why =
    known.kind === 'forbidden' ? 'The user of the token may not view them.' : known.problem;
  const message = `The names in ${systemOf(destination)} are not known. ${why}`;
  throw new Failure('destination_unavailable', message);
}
