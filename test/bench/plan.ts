import { parseArgs } from 'node:util';
import type { Pace, PageMode, Variant } from './workbench.ts';

/** A stack that all sides process in turn, with Tesseract alone before, between and after them. */
export interface PlannedStack {
  readonly mode: PageMode;
  readonly pages: number;
  /** Rounds in the whole run. Each round interleaves the sides. */
  readonly rounds: number;
  readonly paces: readonly Pace[];
  /** Scanning pace of naive.sh, a script of common tools for comparison; undefined skips it. */
  readonly naive: Pace | undefined;
  readonly variants: readonly { readonly variant: Variant; readonly pace: Pace }[];
  /** Only this many first rounds include the naive script and the variants. */
  readonly comparedRounds: number;
  /** Pages per run of Tesseract alone: all, or the ten that a longer stack repeats. */
  readonly alonePages: number;
}

export interface Plan {
  readonly name: 'quick' | 'default' | 'full';
  readonly stacks: readonly PlannedStack[];
  readonly largeDocumentMb: number;
  /** Estimated minutes on two slow cores, printed beforehand. */
  readonly minutes: number;
}

export const USAGE = `Usage: npm run bench [-- --quick | --full | --pages DIRECTORY]

Measures this system, the naive script and Tesseract alone on the same pages, and writes the figures into docs/.
  --quick   one round of few pages (two minutes on two cores), into docs/performance-quick.*
  --full    three rounds, fifty pages at every pace and by the naive script too, 200 colour pages, and a document of 1 GB
            (hours)
  --pages   only real pages: images in a directory, each with its text in a .txt file of the same name. The letters that a name begins
            with are the kind of the page. Prints words, amounts and CPU time of this system and of Tesseract alone.`;

const MODES = ['gray', 'colour', 'lineart'] as const;
const ALL_PACES = [25, 50, 'unpaced'] as const;

const TEN = 10;

const QUICK: Plan = {
  name: 'quick',
  minutes: 2,
  largeDocumentMb: 100,
  stacks: [
    stack({ mode: 'gray', pages: 2, paces: [25, 'unpaced'], naive: 'unpaced' }),
    stack({ mode: 'lineart', pages: 1, paces: ['unpaced'], naive: 'unpaced' }),
    stack({ mode: 'colour', pages: 1, paces: ['unpaced'] }),
  ],
};

const DEFAULT: Plan = {
  name: 'default',
  minutes: 25,
  largeDocumentMb: 300,
  stacks: [
    stack({
      mode: 'gray',
      pages: 10,
      rounds: 3,
      paces: [25, 'unpaced'],
      naive: 'unpaced',
      variants: [{ variant: 'no_ocr', pace: 25 }],
    }),
    stack({ mode: 'gray', pages: 50, paces: [25] }),
    stack({
      mode: 'sparse',
      pages: 50,
      paces: [],
      variants: [{ variant: 'per_page', pace: 50 }],
    }),
    stack({ mode: 'sparse', pages: 200, paces: [50] }),
    stack({ mode: 'colour', pages: 3, paces: ['unpaced'], naive: 'unpaced' }),
    stack({ mode: 'colour', pages: 10, paces: [25, 'unpaced'] }),
    stack({ mode: 'lineart', pages: 10, paces: [25, 'unpaced'], naive: 25 }),
  ],
};

const FULL: Plan = {
  name: 'full',
  minutes: 240,
  largeDocumentMb: 1000,
  stacks: [
    ...MODES.flatMap((mode) => {
      const thrice = { mode, rounds: 3, naive: 25 } as const;
      return [
        stack({ ...thrice, pages: 1, comparedRounds: 3 }),
        stack({ ...thrice, pages: 10, comparedRounds: 3 }),
        stack({ ...thrice, pages: 50, alonePages: 50 }),
      ];
    }),
    stack({ mode: 'colour', pages: 200, paces: [50] }),
  ],
};

/** Undefined if help was requested. Throws for unknown arguments. */
export function readPlan(args: readonly string[]): Plan | { readonly pages: string } | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      pages: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  if (values.pages !== undefined) return { pages: values.pages };
  if (values.quick) return QUICK;
  return values.full ? FULL : DEFAULT;
}

function stack(given: Pick<PlannedStack, 'mode' | 'pages'> & Partial<PlannedStack>): PlannedStack {
  const alonePages = Math.min(given.pages, TEN);
  const plain = { rounds: 1, paces: ALL_PACES, naive: undefined, variants: [], comparedRounds: 1 };
  return { ...plain, alonePages, ...given };
}

export type Step =
  | { readonly side: 'ours'; readonly pace: Pace; readonly variant: Variant }
  | { readonly side: 'naive'; readonly pace: Pace };

/** `round` counts from 0. naive.sh runs between ours, so that a disturbance affects both. */
export function stepsOf(planned: PlannedStack, round: number): Step[] {
  const [first = [], ...others] = planned.paces.map((pace): Step[] => [
    { side: 'ours', pace, variant: 'plain' },
  ]);
  const { naive, variants } =
    round < planned.comparedRounds ? planned : { naive: undefined, variants: [] };
  return [
    ...first,
    ...(naive === undefined ? [] : [{ side: 'naive', pace: naive } as const]),
    ...others.flat(),
    ...variants.map((variant): Step => ({ side: 'ours', ...variant })),
  ];
}

/** Sheets per minute that the cores can follow: only the last page remains after feeding. */
const FOLLOWED = { gray: 25, colour: 25, lineart: 25, sparse: 50 } as const;

export function asksLastPage(step: Step | undefined, { mode, pages }: PlannedStack): boolean {
  if (step?.side !== 'ours' || step.variant === 'no_ocr') return false;
  return step.pace === FOLLOWED[mode] && pages > 1;
}
