import type { ObjectKind, SampleObject } from './objects.ts';

/** The releases of Paperless-ngx that the sample can imitate. */
export type DmsVersion = '2.18' | '2.20' | '3.0';

/** The differences between the releases. */
export interface Release {
  /** The `X-Version` header. */
  readonly release: string;
  /** Oldest and newest API version that `Accept` may request. */
  readonly oldest_api: number;
  readonly newest_api: number;
  /** Hash that identifies a document's bytes. */
  readonly checksum: 'md5' | 'sha256';
  readonly refuses_duplicates: boolean;
  /** Form of the field `custom_fields`: repeated ids, or a JSON text with ids or with values by id. */
  readonly custom_fields: 'ids' | 'json';
  /** How titles are expanded. */
  readonly title: 'str.format' | 'Jinja2';
  /** Whether an upload needs the permission `add_document`. */
  readonly checks_add_document: boolean;
  /** Allowed requests to `/api/token/` per minute and client. Undefined for no limit. */
  readonly token_requests: number | undefined;
}

const SINCE_2_20: Release = {
  release: '2.20.15',
  oldest_api: 1,
  newest_api: 9,
  checksum: 'md5',
  refuses_duplicates: true,
  custom_fields: 'json',
  title: 'Jinja2',
  checks_add_document: true,
  token_requests: undefined,
};

export const RELEASES: Readonly<Record<DmsVersion, Release>> = {
  // 2.16 and 2.17 behave the same.
  '2.18': {
    ...SINCE_2_20,
    release: '2.18.4',
    custom_fields: 'ids',
    title: 'str.format',
    checks_add_document: false,
  },
  '2.20': SINCE_2_20,
  '3.0': {
    ...SINCE_2_20,
    release: '3.0.5',
    oldest_api: 9,
    newest_api: 10,
    checksum: 'sha256',
    refuses_duplicates: false,
    token_requests: 5,
  },
};

export function isVersion(text: string): text is DmsVersion {
  return Object.hasOwn(RELEASES, text);
}

/** A user that a token belongs to. */
export interface TokenUser {
  readonly token: string;
  readonly username: string;
  readonly id: number;
  readonly active: boolean;
  /** Django's names, such as `add_document` or `view_tag`. An administrator has all of them. */
  readonly permissions: 'all' | readonly string[];
}

export function may(user: TokenUser, permission: string): boolean {
  return user.permissions === 'all' || user.permissions.includes(permission);
}

export interface SampleDmsOptions {
  /** A plain token belongs to an administrator. The first one is the `token` of the sample. */
  readonly tokens: readonly (string | (Partial<TokenUser> & { readonly token: string }))[];
  readonly version?: DmsVersion;
  /** Existing or new directory. Documents that an earlier sample stored there are kept. */
  readonly storeDir: string;
  readonly host?: string;
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Initial tags, correspondents and so on, instead of the default ones. */
  readonly objects?: Partial<Readonly<Record<ObjectKind, readonly SampleObject[]>>>;
  /** What each object of a list costs, and each that a new one is compared with; a real system needs 1.5 to 3 ms. In milliseconds. */
  readonly ms_per_object?: number;
  /** Password of a user, for `POST /api/token/` and Basic authentication. */
  readonly login?: { readonly username: string; readonly password: string };
  /** Overrides the behaviour of the release: `PAPERLESS_CONSUMER_DELETE_DUPLICATES` in 3.0. */
  readonly refuses_duplicates?: boolean;
}

/** The users from the options, with defaults filled in. */
export function usersOf(options: Pick<SampleDmsOptions, 'tokens'>): TokenUser[] {
  return options.tokens.map((entry, index) => ({
    username: 'admin',
    id: index + 1,
    active: true,
    permissions: 'all',
    ...(typeof entry === 'string' ? { token: entry } : entry),
  }));
}
