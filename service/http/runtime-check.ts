import type { ScannerClient } from '../scanner/scanner-client.ts';

/** How long the scanner runtime has to answer its health check in GET /ready (docs/specification.md §8). */
const CHECK_MS = 3000;

/** How long a good answer counts: sixty callers that ask in a row are a few questions a second to the runtime. */
const REUSE_MS = 250;

export interface RuntimeCheckOptions {
  readonly checkMs?: number;
  readonly reuseMs?: number;
}

/** Whether the scanner runtime answers. Callers who ask at the same time, or right after each other, share one question. */
export function createRuntimeCheck(
  scanner: Pick<ScannerClient, 'health'>,
  { checkMs = CHECK_MS, reuseMs = REUSE_MS }: RuntimeCheckOptions = {},
): () => Promise<boolean> {
  let asking: Promise<boolean> | undefined;
  let answeredAt = -Infinity;

  async function ask(): Promise<boolean> {
    try {
      await scanner.health(AbortSignal.timeout(checkMs));
      answeredAt = performance.now();
      return true;
    } catch {
      return false;
    } finally {
      asking = undefined;
    }
  }

  return async () => performance.now() - answeredAt < reuseMs || (asking ??= ask());
}
