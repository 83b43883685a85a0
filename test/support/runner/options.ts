import { parseArgs } from 'node:util';
import { USAGE } from './usage.mjs';

export class UsageError extends Error {}

export interface Options {
  readonly help: boolean;
  readonly patterns: readonly string[];
  readonly fast: boolean;
  readonly jobs: number;
}

/** Tests mostly wait: two files in parallel use only 65 % of two cores. */
const DEFAULT_JOBS = 4;

/** @throws UsageError */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parse(args);
  return {
    help: values.help ?? false,
    patterns: positionals,
    fast: values.fast ?? false,
    jobs: positiveInteger(values.jobs ?? String(DEFAULT_JOBS)),
  };
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- it follows from the options listed
function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean' },
        fast: { type: 'boolean' },
        jobs: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`--jobs must be a whole number above 0, not "${text}".\n${USAGE}`);
}
