import type { Lists } from './objects.ts';

/** The differences between releases of Paperless-ngx that matter to the scan service. */
export interface Release {
  /** The `X-Version` header. */
  readonly release: string;
  /** Oldest and newest API version that `Accept` may request. */
  readonly oldest_api: number;
  readonly newest_api: number;
  /** Identifies a document's bytes. */
  readonly checksum: 'md5' | 'sha256';
  readonly refuses_duplicates: boolean;
}

export const RELEASES = {
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
} as const satisfies Readonly<Record<string, Release>>;

export type DmsVersion = keyof typeof RELEASES;

export interface TokenUser {
  readonly token: string;
  readonly username: string;
  readonly id: number;
  readonly active: boolean;
  /** Django's names, such as `add_document` or `view_tag`. */
  readonly permissions: 'all' | readonly string[];
}

export interface SampleDmsOptions {
  /** A plain token belongs to an administrator. The first one becomes the `token` of the sample. */
  readonly tokens: readonly (string | (Partial<TokenUser> & { readonly token: string }))[];
  readonly version?: DmsVersion;
  /** Rejects older API versions, as a later release will. */
  readonly oldest_api?: number;
  /** Existing or new directory. Documents of an earlier sample are kept. */
  readonly storeDir: string;
  readonly host?: string;
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Instead of the default tags, correspondents and so on. */
  readonly objects?: Partial<Lists>;
  /** Delay per listed or compared object, in milliseconds. A real system takes 1.5 to 3. */
  readonly ms_per_object?: number;
  readonly login?: { readonly username: string; readonly password: string };
}

export function usersOf(tokens: SampleDmsOptions['tokens']): TokenUser[] {
  return tokens.map((entry, index) => ({
    username: 'admin',
    id: index + 1,
    active: true,
    permissions: 'all',
    ...(typeof entry === 'string' ? { token: entry } : entry),
  }));
}
