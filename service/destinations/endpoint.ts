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
  if (url === null || !isHttp(url)) return undefined;
  if (url.username !== '' || url.password !== '' || url.search !== '') return undefined;
  const name = addressOf(url);
  return { uploadUrl: new URL(`${name}${UPLOAD_PATH}`), name };
}

/**
 * The base address to set when uploads are redirected to `location`, or where it leads when that is something else; undefined
 * when it is not an http(s) address.
 */
export function baseOf(location: string, from: URL): string | undefined {
  const url = URL.parse(location, from.href);
  if (url === null || !isHttp(url)) return undefined;
  const address = addressOf(url);
  const path = UPLOAD_PATH.slice(0, -1);
  return address.endsWith(path) ? address.slice(0, -path.length) : address;
}

/**
 * Where Paperless-ngx says what became of an upload that it accepted. It shows a task to superusers and to the user of the
 * token only.
 */
export function taskUrl({ name }: Endpoint, taskId: string): string {
  return `${name}/api/tasks/?task_id=${taskId}`;
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

function addressOf(url: URL): string {
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
