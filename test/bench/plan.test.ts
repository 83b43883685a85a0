import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type PlannedStack, asksLastPage, readPlan, stepsOf } from './plan.ts';

const test = suite('the order of a round');

const STACK: PlannedStack = {
  mode: 'gray',
  pages: 10,
  rounds: 2,
  paces: [25, 'unpaced'],
  besides: {
    rounds: 1,
    naive: 25,
    paces: [50],
    variants: [{ variant: 'deskew', pace: 'unpaced' }],
  },
  alonePages: 10,
};

function order(stack: PlannedStack, round: number): string[] {
  return stepsOf(stack, round).map(
    (step) => `${step.side === 'ours' ? step.variant : step.side} ${step.pace}`,
  );
}

test('the first round does everything, the naive script between our own runs', () => {
  assert.equal(order(STACK, 0), [
    'plain 25',
    'naive 25',
    'plain 50',
    'plain unpaced',
    'deskew unpaced',
  ]);
});

test('a later round does what is to be repeated', () => {
  assert.equal(order(STACK, 1), ['plain 25', 'plain unpaced']);
});

test('the last page alone is asked for beside a feeder that the cores can follow', () => {
  const asked = stepsOf(STACK, 0).map((step) => asksLastPage(step, STACK));
  assert.equal(asked, [true, false, false, false, false]);
  assert.is(asksLastPage(stepsOf(STACK, 0)[0], { ...STACK, pages: 1 }), false);
  assert.is(asksLastPage(undefined, STACK), false);
  const fast = { side: 'ours', pace: 50, variant: 'plain' } as const;
  assert.is(asksLastPage(fast, { ...STACK, mode: 'sparse' }), true);
  assert.is(asksLastPage({ ...fast, pace: 25, variant: 'no_ocr' }, STACK), false);
});

test('every plan samples pages that its stacks repeat, and repeats the ten gray pages', () => {
  for (const args of [[], ['--quick'], ['--full']]) {
    const stacks = readPlan(args)?.stacks ?? [];
    assert.ok(stacks.length > 0);
    assert.equal(
      stacks.filter(({ pages, alonePages }) => pages % alonePages !== 0),
      [],
    );
  }
  const gray = readPlan([])?.stacks.find(({ mode, pages }) => mode === 'gray' && pages === 10);
  assert.is(gray?.rounds, 3);
});

test.run();
