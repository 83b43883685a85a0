import pLimit from 'p-limit';
import { Failure } from '../../helpers/failure.ts';
import { DEFAULT_TOKEN_SECRET } from '../paperless/destination.ts';
import { endpointOf } from '../paperless/endpoint.ts';
import type { SecretReader } from '../paperless/secrets.ts';
import type { OwnFiles } from '../settings/own-files.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { writeFailure } from '../storage/storage-failure.ts';
import { askPaperless, type Account, type Asked } from './ask-paperless.ts';
import { textOf, type Said } from './texts/texts.ts';

export interface SetDestination {
  readonly address: string;
  /** False if only the address was checked. */
  readonly stored: boolean;
}

/**
 * Checks a Paperless-ngx. Stores address and token if there is an account, effective immediately.
 * Throws Failure `destination_unavailable`, `set_up_closed`, `too_many_requests` or
 * `insufficient_storage`.
 */
export type DestinationStep = (address: string, account: Account) => Promise<SetDestination>;

export interface DestinationStepOptions {
  readonly files: OwnFiles;
  readonly settings: Pick<SettingsStore, 'change'>;
  /** Reads the operator's secrets, which take precedence. */
  readonly readOperatorSecret: SecretReader;
  readonly fixedUrl: string | undefined;
  readonly trusted: readonly string[];
  /** Loads the profiles again, with the new address. */
  readonly reload: () => Promise<void>;
  readonly now?: () => number;
}

/** Keeps callers from probing the network. A person needs only a few attempts. */
const MAX_PER_MINUTE = 20;
const MINUTE_MS = 60_000;
const MAX_WAITING = 3;

/** For all requests of a check together. */
const TOGETHER_MS = 20_000;

const TOKEN_FILE = `secrets/${DEFAULT_TOKEN_SECRET}`;

export function createDestinationStep(options: DestinationStepOptions): DestinationStep {
  const { trusted, now = () => performance.now() } = options;
  const queue = pLimit(1);
  let askedAt: readonly number[] = [];

  return async (address, account) => {
    askedAt = askedAt.filter((at) => now() - at < MINUTE_MS);
    if (askedAt.length >= MAX_PER_MINUTE || queue.pendingCount >= MAX_WAITING) throw tooMany();
    askedAt = [...askedAt, now()];
    return queue(async () => {
      const signal = AbortSignal.timeout(TOGETHER_MS);
      const asked = await askPaperless(address, account, { trusted, signal });
      if (asked.kind === 'broken') throw unusable(asked.said);
      if (asked.kind === 'answers') return { address: asked.address, stored: false };
      await checkFixed(asked.address, options);
      await store(asked, options);
      return { address: asked.address, stored: true };
    });
  };
}

/** Removes the old token first, so that it is never sent to the new address. */
async function store(
  { address, token }: Extract<Asked, { readonly kind: 'good' }>,
  { files, settings, reload }: DestinationStepOptions,
): Promise<void> {
  try {
    await files.write(TOKEN_FILE, '');
    await settings.change({ dms_url: address });
    await files.write(TOKEN_FILE, `${token}\n`);
  } catch (error) {
    throw writeFailure(files.root, error);
  }
  await reload();
}

async function checkFixed(
  address: string,
  { fixedUrl, readOperatorSecret }: DestinationStepOptions,
): Promise<void> {
  if (fixedUrl !== undefined && endpointOf(fixedUrl)?.name !== address) {
    throw fixed('The address of Paperless-ngx is fixed on the machine, by DMS_URL.', 'DMS_URL');
  }
  if ((await readOperatorSecret(DEFAULT_TOKEN_SECRET)) !== undefined) {
    const what = `The token for Paperless-ngx is fixed on the machine, as the secret ${DEFAULT_TOKEN_SECRET}.`;
    throw fixed(what, DEFAULT_TOKEN_SECRET);
  }
}

function fixed(what: string, by: string): Failure {
  return new Failure('set_up_closed', what, {
    remedy: 'Change it there.',
    facts: { fixed_by: by },
  });
}

function unusable(said: Said): Failure {
  return new Failure('destination_unavailable', textOf(said), {
    facts: { problem: said.key, text: { en: textOf(said), de: textOf(said, 'de') } },
  });
}

function tooMany(): Failure {
  return new Failure('too_many_requests', 'Too many addresses were checked.', {
    remedy: 'Wait a minute, then try again.',
  });
}
