import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { STILL } from '../../../../helpers/processor/page/motion.ts';
import {
  attempt,
  contextFor,
  type PageState,
} from '../../../../helpers/processor/page/page-work.ts';
import { Failure } from '../../../../helpers/failure.ts';
import { rejection } from '../../../support/rejection.ts';
import { pageWork } from '../support/page-samples.ts';

const test = suite('the work on a page');

const work = pageWork('/request', '/request/page.tif', {
  limits: { recognition: 1000, imageJob: 100 },
});
const image = { file: '/request/page.tif', width: 10, height: 10, dpi: 300, bilevel: false };
const page: PageState = { image, motion: STILL, turned: 0, cropped: null, warnings: ['earlier'] };

test('a program runs in the directory of the request, for as long as the image is large', () => {
  const context = contextFor(image, work, 'recognition');
  assert.is(context.directory, '/request');
  assert.is(context.timeoutMs, 1000);
  assert.is(contextFor({ width: 2480, height: 7016 }, work, 'imageJob').timeoutMs, 200);
});

test('an attempt that succeeds gives what it made', async () => {
  const better = { ...page, turned: 90 };
  const run = (): Promise<PageState> => Promise.resolve(better);
  assert.is(await attempt(page, work, { warning: 'not turned', run }), better);
});

test('an attempt that fails gives the page as it was, with one more warning', async () => {
  const run = (): Promise<PageState> => Promise.reject(new Error('a bug'));
  const result = await attempt(page, work, { warning: 'not turned', run });
  assert.equal(result, {
    ...page,
    warnings: ['earlier', 'not turned'],
  });
});

test('a refusal passes', async () => {
  const refusal = new Failure('unreadable_page', 'damaged');
  const run = (): Promise<PageState> => Promise.reject(refusal);
  assert.is(await rejection(attempt(page, work, { warning: 'not turned', run })), refusal);
});

test('a request that was given up rejects with its reason', async () => {
  const signal = AbortSignal.abort(new Error('gone'));
  const abandoned = pageWork('/request', '/request/page.tif', { signal });
  const run = (): Promise<PageState> => Promise.reject(new Error('killed'));
  assert.match(
    String(await rejection(attempt(page, abandoned, { warning: 'not turned', run }))),
    /gone/,
  );
});

test.run();
