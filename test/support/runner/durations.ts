import { readFileSync, writeFileSync } from 'node:fs';
import type { FileResult } from './result.ts';

/** How long each file took last time, in milliseconds. */
export type Durations = Readonly<Record<string, number>>;

/** Nothing is known on a fresh checkout, or after somebody broke the file: then nothing is. */
export function readDurations(path: string): Durations {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof parsed !== 'object' || parsed === null) return {};
    return Object.fromEntries(
      Object.entries(parsed).filter((entry): entry is [string, number] =>
        Number.isFinite(entry[1]),
      ),
    );
  } catch {
    return {};
  }
}

export function writeDurations(
  path: string,
  before: Durations,
  results: readonly FileResult[],
): void {
  const now = Object.fromEntries(results.map(({ file, durationMs }) => [file, durationMs]));
  writeFileSync(path, `${JSON.stringify({ ...before, ...now }, undefined, 2)}\n`);
}
