import type { PlannedStack } from './plan.ts';
import type { Pace, Variant } from './workbench.ts';

/** One run of one side within a round of a stack. */
export type Step =
  | { readonly side: 'ours'; readonly pace: Pace; readonly variant: Variant }
  | { readonly side: 'naive'; readonly pace: Pace }
  /** Tesseract alone at the pace of a feeder: nothing can be done sooner after the last sheet on this machine. */
  | { readonly side: 'tesseract'; readonly pace: 25 };

/** What a round does, in order: the slow naive script between our own runs, so that a disturbance meets both. Rounds count from 0. */
export function stepsOf({ paces, pages, besides }: PlannedStack, round: number): Step[] {
  const plain = (pace: Pace): Step => ({ side: 'ours', pace, variant: 'plain' });
  const withLimit = (pace: Pace): Step[] =>
    pace === 25 && pages > 1 && round === 0
      ? [plain(pace), { side: 'tesseract', pace }]
      : [plain(pace)];
  const [first = [], ...others] = paces.map(withLimit);
  if (round >= besides.rounds) return [...first, ...others.flat()];
  const naive: Step[] = besides.naive === undefined ? [] : [{ side: 'naive', pace: besides.naive }];
  return [
    ...first,
    ...naive,
    ...besides.paces.map(plain),
    ...others.flat(),
    ...besides.variants.map((variant): Step => ({ side: 'ours', pace: 'unpaced', variant })),
  ];
}

/** Whether a run is held against the recognition of the last page alone: the goal of a feeder that OCR keeps up with. */
export function asksLastPage(step: Step | undefined, { pages }: PlannedStack): boolean {
  return step?.side === 'ours' && step.pace === 25 && pages > 1;
}
