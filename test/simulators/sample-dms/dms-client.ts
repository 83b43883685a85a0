import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SampleDmsOptions } from '../../../simulators/sample-dms/options.ts';
import { createSampleDms, type SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';

export const TOKEN = '0123456789abcdef0123456789abcdef01234567';

/** Whole, as far as the sample looks. */
export const PDF = '%PDF-1.7\nsample\n%%EOF\n';

/** As for fetch, with headers by name. */
type Init = Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> };

export interface DmsClient {
  readonly dms: SampleDms;
  readonly storeDir: string;
  /** A request with the token; other headers come before those it has by itself. */
  readonly request: (path: string, init?: Init) => Promise<Response>;
  /** Uploads `content`, with the fields; gives status and body. */
  readonly upload: (
    fields?: readonly (readonly [string, string])[],
    content?: { readonly content?: string; readonly filename?: string },
  ) => Promise<{ readonly status: number; readonly body: unknown }>;
  readonly close: () => Promise<void>;
}

export async function startDms(options: Partial<SampleDmsOptions> = {}): Promise<DmsClient> {
  const storeDir = await mkdtemp(join(tmpdir(), 'sample-dms-'));
  const dms = await createSampleDms({ tokens: [TOKEN], storeDir, ...options });
  const request = (path: string, init: Init = {}): Promise<Response> =>
    fetch(`${dms.url}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { authorization: `Token ${dms.token}`, ...init.headers },
    });
  return {
    dms,
    storeDir,
    request,
    upload: async (fields = [], { content = PDF, filename = 'a.pdf' } = {}) => {
      const form = new FormData();
      for (const [name, value] of fields) form.append(name, value);
      form.append('document', new Blob([content]), filename);
      // Bytes, because a form is sent without a Content-Length by fetch.
      const encoded = new Response(form);
      const response = await request('/api/documents/post_document/', {
        method: 'POST',
        headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
        body: await encoded.arrayBuffer(),
      });
      return { status: response.status, body: await response.json() };
    },
    close: async () => {
      await dms.close();
      await rm(storeDir, { recursive: true });
    },
  };
}
