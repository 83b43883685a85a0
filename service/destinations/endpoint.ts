/** Where uploads to one system go, and how the system is called in messages. */
export interface Endpoint {
  readonly uploadUrl: URL;
  /** The base address without a slash at its end. */
  readonly name: string;
}

const UPLOAD_PATH = '/api/documents/post_document/';

/**
 * The endpoint under a base address, which may have a path. Undefined when the address is no plain http(s) address: one
 * with a user name, a password or a query would carry secrets into messages.
 */
export function endpointOf(baseUrl: string): Endpoint | undefined {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username !== '' || url.password !== '' || url.search !== '') return undefined;
  const name = addressOf(url);
  return { uploadUrl: new URL(`${name}${UPLOAD_PATH}`), name };
}

/** The base address to set when uploads are redirected to `location`, or where it leads when that is something else. */
export function baseOf(location: string, from: URL): string | undefined {
  const url = URL.parse(location, from.href);
  if (url === null) return undefined;
  const address = addressOf(url);
  const path = UPLOAD_PATH.slice(0, -1);
  return address.endsWith(path) ? address.slice(0, -path.length) : address;
}

function addressOf(url: URL): string {
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
