import { cause } from './causes.ts';

export interface Endpoint {
  readonly uploadUrl: URL;
  /** The base address without a trailing slash, for messages. */
  readonly name: string;
}

export const NO_ADDRESS = cause('wrong_address/none', {});

export function systemOf({ base_url }: { readonly base_url: string }): string {
  return base_url.replace(/\/+$/, '');
}

const UPLOAD_PATH = '/api/documents/post_document';

/** Undefined unless the address is http(s) and has no user name, password or query to leak. */
export function endpointOf(baseUrl: string): Endpoint | undefined {
  const url = URL.parse(baseUrl);
  const name = addressOf(url);
  if (name === undefined || url?.username || url?.password || url?.search) return undefined;
  return { uploadUrl: new URL(`${name}${UPLOAD_PATH}/`), name };
}

/** Returns the base address for uploads redirected to `location`. Undefined unless http(s). */
export function baseOf(location: string, from: URL): string | undefined {
  const address = addressOf(URL.parse(location, from.href));
  return address?.endsWith(UPLOAD_PATH) ? address.slice(0, -UPLOAD_PATH.length) : address;
}

/** Removes secrets and trailing slashes. Undefined if the address is not http(s). */
function addressOf(url: URL | null): string | undefined {
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
