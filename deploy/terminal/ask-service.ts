import { ClientError } from './client-error.ts';
import { EXIT, type Answer } from './outcome.ts';

export interface Service {
  readonly baseUrl: string;
  readonly token: string | undefined;
  /** Stops waiting for the response. The request itself continues. */
  readonly signal?: AbortSignal;
}

/** Rejects like fetch. */
export function ask(
  { baseUrl, token, signal }: Service,
  path: string,
  {
    headers = {},
    ...init
  }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`${baseUrl}${path}`, {
    ...init,
    signal: signal ?? null,
    headers: {
      Accept: 'text/event-stream, application/json;q=0.9',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
}

/** The response as JSON, or an error if it is not from a scan service. */
export async function plainAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) as Answer['body'] };
  } catch {
    // The response is from a proxy, or from another program at this address.
    const message = `${response.url} answered ${response.status}, and not as a scan service does. Check the address.`;
    return { status: response.status, body: { error: 'unknown', message } };
  }
}

export function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

export function unreachable({ baseUrl }: Service, error: unknown): ClientError {
  const message = `The service at ${baseUrl} cannot be reached (${causeOf(error)}). Check its address, and that it is running.`;
  return new ClientError(message, EXIT.other, error);
}
