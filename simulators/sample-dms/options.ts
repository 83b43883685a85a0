/** Which Paperless-ngx the sample behaves like. */
export type DmsVersion = '2.20' | '3.0';

interface Release {
  /** What `X-Version` says. */
  readonly release: string;
  /** API versions that `Accept` may ask for, oldest and newest. */
  readonly oldest_api: number;
  readonly newest_api: number;
  /** Hash that recognises a document again. */
  readonly checksum: 'md5' | 'sha256';
  readonly refuses_duplicates: boolean;
}

export const RELEASES: Readonly<Record<DmsVersion, Release>> = {
  '2.20': {
    release: '2.20.15',
    oldest_api: 1,
    newest_api: 9,
    checksum: 'md5',
    refuses_duplicates: true,
  },
  '3.0': {
    release: '3.0.5',
    oldest_api: 9,
    newest_api: 10,
    checksum: 'sha256',
    refuses_duplicates: false,
  },
};

/** Primary keys that exist on the server; every other one is refused. */
export interface KnownIds {
  readonly tags: readonly number[];
  readonly correspondents: readonly number[];
  readonly document_types: readonly number[];
  readonly storage_paths: readonly number[];
  readonly custom_fields: readonly number[];
}

export const DEFAULT_KNOWN_IDS: KnownIds = {
  tags: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  correspondents: [1, 2, 3],
  document_types: [1, 2, 3],
  storage_paths: [1, 2, 3],
  custom_fields: [1, 2, 3],
};

/** A user that a token belongs to. */
export interface TokenUser {
  readonly token: string;
  readonly username: string;
  readonly id: number;
  readonly active: boolean;
  /** Has the permission `documents.add_document`. */
  readonly may_add_documents: boolean;
  /** Has the permission `documents.view_paperlesstask`. */
  readonly may_view_tasks: boolean;
}

export interface SampleDmsOptions {
  /** A plain token belongs to an administrator; the first one is the sample's own `token`. */
  readonly tokens: readonly (string | (Partial<TokenUser> & { readonly token: string }))[];
  readonly version?: DmsVersion;
  /** Existing or new directory; documents already stored there by an earlier sample are kept. */
  readonly storeDir: string;
  readonly host?: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  readonly known?: Partial<KnownIds>;
  /** Log-in for `POST /api/token/`. */
  readonly login?: { readonly username: string; readonly password: string };
}

/** The users that the options describe, with what was left out filled in. */
export function usersOf(options: SampleDmsOptions): TokenUser[] {
  return options.tokens.map((entry, index) => ({
    username: 'admin',
    id: index + 1,
    active: true,
    may_add_documents: true,
    may_view_tasks: true,
    ...(typeof entry === 'string' ? { token: entry } : entry),
  }));
}
