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

/** What to read for the table of words and CPU time by kind of page. */
export interface ReadingPlan {
  /** A directory of real pages. */
  readonly pages: string | undefined;
  readonly kinds: 'all' | 'real';
  /** How many variants of each hard page to read. Only this system reads more than the first. */
  readonly seeds: number;
  readonly ocrmypdf: boolean;
  /** A file for the figures, and one of an earlier run to compare with. */
  readonly save: string | undefined;
  readonly against: string | undefined;
}

export const USAGE = `Usage: npm run bench [-- --quick | --full | --reading | --pages DIRECTORY]

Measures this system, the naive script and Tesseract alone on the same pages, and writes the figures into docs/.
  --quick   one round of few pages (two minutes on two cores), into docs/performance-quick.*
  --full    three rounds, fifty pages at every pace and by the naive script too, 200 colour pages, and a document of 1 GB
            (hours)
  --reading words, amounts and CPU time of this system, Tesseract alone and OCRmyPDF by kind of page: ten letters in gray, colour and
            line art, small print, and the pages of simulators/pages/hard. Takes half an hour, and writes no documents.
  --pages   adds real pages: images in a directory, each with its text in a .txt file of the same name. The letters that a name begins
            with are the kind of the page. Without --reading, only these are read.
  --seeds N            reads N variants of each hard page, those after the first only with this system
  --without-ocrmypdf   takes half the time
  --save FILE          saves the figures of each page
  --against FILE       lists pages that are read worse than in a saved run, beyond chance`;

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
export function readPlan(args: readonly string[]): Plan | ReadingPlan | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      reading: { type: 'boolean', default: false },
      pages: { type: 'string' },
      seeds: { type: 'string', default: '1' },
      'without-ocrmypdf': { type: 'boolean', default: false },
      save: { type: 'string' },
      against: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { quick, full, reading, pages, save, against } = values;
  if (values.help) return undefined;
  if (reading || pages !== undefined) {
    return {
      pages,
      kinds: reading ? 'all' : 'real',
      seeds: reading ? Number(values.seeds) : 1,
      ocrmypdf: !values['without-ocrmypdf'],
      save,
      against,
    };
  }
  if (quick) return QUICK;
  return full ? FULL : DEFAULT;
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
