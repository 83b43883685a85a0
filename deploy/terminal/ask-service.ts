import { ClientError } from './client-error.ts';
import { EXIT, type Answer } from './outcome.ts';

/** A service, and how to get in. */
export interface Service {
  readonly baseUrl: string;
  readonly token: string | undefined;
  /** Ends the waiting for an answer, not what was asked for. */
  readonly signal?: AbortSignal;
}

/** Asks the service; rejects as fetch does. */
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

/** The answer as it stands, or that it is none of a scan service. */
export async function plainAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) as Answer['body'] };
  } catch {
    // Of a proxy, or of another program at that address.
    const message = `${response.url} answered ${response.status}, and not as a scan service does. Check the address.`;
    return { status: response.status, body: { error: 'unknown', message } };
  }
}

/** What fetch says in its error's cause. */
export function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** A question that did not get through. */
export function unreachable({ baseUrl }: Service, error: unknown): ClientError {
  const message = `The service at ${baseUrl} cannot be reached (${causeOf(error)}). Check its address, and that it is running.`;
  return new ClientError(message, EXIT.other, error);
}
