import { cause } from './causes.ts';

/** Where uploads to one system go, and how the system is called in messages. */
export interface Endpoint {
  readonly uploadUrl: URL;
  /** The base address without a slash at its end. */
  readonly name: string;
}

/** What happened, and what to do, where `endpointOf` finds none. */
export const NO_ADDRESS = cause('wrong_address/none', {});

/** How a system is called in messages. */
export function systemOf({ base_url }: { readonly base_url: string }): string {
  return base_url.replace(/\/+$/, '');
}

const UPLOAD_PATH = '/api/documents/post_document';

/**
 * The endpoint under a base address, which may have a path. Undefined when the address is no plain http(s) address: one
 * with a user name, a password or a query would carry secrets into messages.
 */
export function endpointOf(baseUrl: string): Endpoint | undefined {
  const url = URL.parse(baseUrl);
  const name = addressOf(url);
  if (name === undefined || url?.username || url?.password || url?.search) return undefined;
  return { uploadUrl: new URL(`${name}${UPLOAD_PATH}/`), name };
}

/**
 * The base address to set when uploads are redirected to `location`, or where it leads when that is something else; undefined
 * when it is not an http(s) address.
 */
export function baseOf(location: string, from: URL): string | undefined {
  const address = addressOf(URL.parse(location, from.href));
  return address?.endsWith(UPLOAD_PATH) ? address.slice(0, -UPLOAD_PATH.length) : address;
}

/** The part of an http(s) address that holds no secrets, without a slash at its end; undefined for any other. */
function addressOf(url: URL | null): string | undefined {
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
