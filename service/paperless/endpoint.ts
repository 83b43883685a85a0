import { cause } from './causes.ts';

/** The upload address of a system, and its name in messages. */
export interface Endpoint {
  readonly uploadUrl: URL;
  /** The base address without a trailing slash. */
  readonly name: string;
}

/** The cause if `endpointOf` returns undefined. */
export const NO_ADDRESS = cause('wrong_address/none', {});

export function systemOf({ base_url }: { readonly base_url: string }): string {
  return base_url.replace(/\/+$/, '');
}

const UPLOAD_PATH = '/api/documents/post_document';

/**
 * The endpoint at a base address, which may have a path. Undefined unless it is a plain http(s)
 * address: user name, password or query could carry secrets into messages.
 */
export function endpointOf(baseUrl: string): Endpoint | undefined {
  const url = URL.parse(baseUrl);
  const name = addressOf(url);
  if (name === undefined || url?.username || url?.password || url?.search) return undefined;
  return { uploadUrl: new URL(`${name}${UPLOAD_PATH}/`), name };
}

/**
 * The base address to use if uploads are redirected to `location`; if `location` is no upload
 * address, the address itself. Undefined unless it is http(s).
 */
export function baseOf(location: string, from: URL): string | undefined {
  const address = addressOf(URL.parse(location, from.href));
  return address?.endsWith(UPLOAD_PATH) ? address.slice(0, -UPLOAD_PATH.length) : address;
}

/** An http(s) address without its secret parts and trailing slashes. Undefined for any other. */
function addressOf(url: URL | null): string | undefined {
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
