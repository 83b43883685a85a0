import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export interface TestRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly from?: string;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: Record<string, unknown> | undefined;
}

/** Sends one request unchanged and reads the whole answer. */
export function sendTo(
  port: number,
  { method, path, headers, body, from }: TestRequest,
): Promise<TestAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method: method ?? 'GET',
        path,
        agent: false,
        headers,
        ...(from !== undefined && { localAddress: from }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: parseJson(text),
          });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
