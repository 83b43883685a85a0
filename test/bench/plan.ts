import { parseArgs } from 'node:util';
import type { PageMode } from './page-sets.ts';
import type { Pace, Variant } from './workbench.ts';

/** One stack that all sides do, one after the other. */
export interface PlannedStack {
  readonly mode: PageMode;
  readonly pages: number;
  /** How many times in the whole run; the sides are interleaved in each. */
  readonly rounds: number;
  readonly paces: readonly Pace[];
  /** Pace at which the naive script scans; undefined leaves it out. */
  readonly naive: Pace | undefined;
  /** Also done by this system, at no pace. */
  readonly variants: readonly Variant[];
}

export interface Plan {
  readonly name: 'quick' | 'default' | 'full';
  readonly stacks: readonly PlannedStack[];
  /** Longest wait for a quiet machine before each round of a stack, in ms. */
  readonly quietWaitMs: number;
  /** Size of the large document in MB. */
  readonly largeDocumentMb: number;
  /** What the run takes on two cores, in minutes, to be told beforehand. */
  readonly minutes: number;
}

export const USAGE = `Usage: npm run bench [-- --quick | --full]

Measures this system, the naive script and Tesseract alone on the same pages, and writes the figures into docs/.
  --quick   one round of few pages (about two minutes on two cores), into docs/performance-quick.*
  --full    three rounds, fifty pages at every pace and by the naive script too, and a document of 1 GB (two hours)`;

const ALL_PACES = [25, 50, 'unpaced'] as const;

const QUICK: Plan = {
  name: 'quick',
  minutes: 2,
  quietWaitMs: 5000,
  largeDocumentMb: 100,
  stacks: [
    stack({ mode: 'gray', pages: 10, paces: [25, 'unpaced'], naive: 'unpaced' }),
    stack({ mode: 'gray', pages: 1, paces: ['unpaced'], naive: 'unpaced' }),
    stack({ mode: 'colour', pages: 1, paces: ['unpaced'], naive: 'unpaced' }),
    stack({ mode: 'lineart', pages: 1, paces: ['unpaced'], naive: 'unpaced' }),
  ],
};

/** Reads the arguments; undefined where help was asked for. Throws for unknown ones. */
export function readPlan(args: readonly string[]): Plan | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  if (values.quick) return QUICK;
  return values.full ? FULL : DEFAULT;
}

const MODES = ['gray', 'colour', 'lineart'] as const;
const VARIANTS = ['rotate', 'deskew', 'rotate_deskew'] as const;

const DEFAULT: Plan = {
  name: 'default',
  minutes: 25,
  quietWaitMs: 20_000,
  largeDocumentMb: 300,
  stacks: MODES.flatMap((mode) => [
    stack({ mode, pages: 1 }),
    stack({ mode, pages: 10, variants: mode === 'gray' ? VARIANTS : [] }),
    // The naive script takes two to seven minutes for these.
    stack({ mode, pages: 50, paces: [25], naive: undefined }),
  ]),
};

const FULL: Plan = {
  name: 'full',
  minutes: 120,
  quietWaitMs: 60_000,
  largeDocumentMb: 1000,
  stacks: MODES.flatMap((mode) => [
    stack({ mode, pages: 1, rounds: 3 }),
    stack({ mode, pages: 10, rounds: 3, variants: mode === 'gray' ? VARIANTS : [] }),
    stack({ mode, pages: 50, rounds: 3 }),
  ]),
};

function stack(given: Pick<PlannedStack, 'mode' | 'pages'> & Partial<PlannedStack>): PlannedStack {
  return { rounds: 1, paces: ALL_PACES, naive: 25, variants: [], ...given };
}
