import { Failure } from '../../../helpers/failure.ts';
import { DEFAULT_TOKEN_SECRET } from '../../paperless/destination.ts';
import { endpointOf } from '../../paperless/endpoint.ts';
import type { SecretReader } from '../../paperless/secrets.ts';
import type { OwnFiles } from '../../settings/own-files.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { askPaperless, type Account, type Asked } from '../ask-paperless.ts';
import type { AskLimit } from './ask-limit.ts';
import { checkNotFixed, fixedOnMachine, storing, textsOf } from './refusals.ts';
import { textOf, type Message } from '../texts/texts.ts';

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
  readonly limit: AskLimit;
}

/** Time limit of all requests of a check together. */
const CHECK_TIMEOUT_MS = 20_000;

const TOKEN_FILE = `secrets/${DEFAULT_TOKEN_SECRET}`;

export function createDestinationStep(options: DestinationStepOptions): DestinationStep {
  const { trusted, limit } = options;
  return async (address, account) =>
    limit(async () => {
      const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
      const asked = await askPaperless(address, account, { trusted, signal });
      if (asked.kind === 'broken') throw unusable(asked.message);
      if (asked.kind === 'answers') return { address: asked.address, stored: false };
      await checkFixed(asked.address, options);
      await store(asked, options);
      return { address: asked.address, stored: true };
    });
}

/** Removes the old token first, so that it is never sent to the new address. */
async function store(
  { address, token }: Extract<Asked, { readonly kind: 'good' }>,
  { files, settings, reload }: DestinationStepOptions,
): Promise<void> {
  await storing(files, async () => {
    // An empty file can be written even to a full disk, so this finds out before the token is lost.
    await settings.change({});
    await files.write(TOKEN_FILE, '');
    await settings.change({ dms_url: address });
    await files.write(TOKEN_FILE, `${token}\n`);
  });
  await reload();
}

async function checkFixed(
  address: string,
  { fixedUrl, readOperatorSecret }: DestinationStepOptions,
): Promise<void> {
  if (fixedUrl !== undefined && endpointOf(fixedUrl)?.name !== address) {
    throw fixedOnMachine('The address of Paperless-ngx', 'DMS_URL');
  }
  await checkNotFixed(readOperatorSecret, DEFAULT_TOKEN_SECRET);
}

function unusable(message: Message): Failure {
  return new Failure('destination_unavailable', textOf(message), { facts: textsOf(message) });
}
