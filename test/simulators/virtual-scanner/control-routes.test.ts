import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGES_DIR } from '../../../simulators/pages/manifest.ts';
import {
  createVirtualScanner,
  type ScannerState,
  type VirtualScanner,
} from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import { openJob } from './escl-client.ts';

const test = suite<{ scanner: VirtualScanner }>('control API of the virtual scanner');

test.before.each(async (context) => {
  const pages = [`${PAGES_DIR}/invoice.jpg`];
  context.scanner = await createVirtualScanner({ pages, pagesDir: PAGES_DIR });
});
test.after.each(({ scanner }) => scanner.close());

interface Answer {
  readonly status: number;
  readonly body: ScannerState & { readonly error?: string };
}

async function call(scanner: VirtualScanner, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${scanner.port}/control/${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

test('tells the state', async ({ scanner }) => {
  const { status, body } = await call(scanner, 'state');
  assert.is(status, 200);
  assert.equal(body, scanner.state);
  assert.is(body.adfState, 'ScannerAdfLoaded');
});

test('loads pages and sheets, named relative to the directory of pages', async ({ scanner }) => {
  const pages = ['minutes.jpg', { front: 'report.jpg', back: 'manual.jpg' }, { front: 'form.png' }];
  const { status, body } = await call(scanner, 'load', { pages });
  assert.is(status, 200);
  assert.is(body.sheetsLeft, 3);
  const fed: string[] = [];
  scanner.events.on('sheet', ({ front }) => fed.push(front));
  const job = await openJob(scanner.url);
  assert.is((await fetch(`${job}/NextDocument`)).status, 200);
  assert.is((await fetch(`${job}/NextDocument`)).status, 200);
  assert.equal(fed, [`${PAGES_DIR}/minutes.jpg`, `${PAGES_DIR}/report.jpg`]);
});

test('loads a stack of the manifest, or the first one again', async ({ scanner }) => {
  assert.is((await call(scanner, 'load', { stack: 'ten' })).body.sheetsLeft, 10);
  assert.is((await call(scanner, 'load', { pages: [] })).body.sheetsLeft, 0);
  assert.is((await call(scanner, 'load', {})).body.sheetsLeft, 1);
});

test('sets and clears a fault', async ({ scanner }) => {
  const fault = { kind: 'jam', atPage: 2 };
  assert.equal((await call(scanner, 'fault', fault)).body.fault, fault);
  assert.is((await call(scanner, 'fault', null)).body.fault, null);
});

for (const fault of [
  { kind: 'jam', atPage: 0 },
  { kind: 'fire' },
  { kind: 'hang' },
  { kind: 'hang', where: 'post', atPage: 2 },
  { kind: 'busy', times: '3' },
  'jam',
]) {
  test(`refuses the fault ${JSON.stringify(fault)}`, async ({ scanner }) => {
    const { status, body } = await call(scanner, 'fault', fault);
    assert.is(status, 400);
    assert.type(body.error, 'string');
    assert.is(scanner.state.fault, null);
  });
}

for (const order of [
  { stack: 'nope' },
  { pages: [1] },
  { stack: 'ten', pages: [] },
  { paper: 1 },
]) {
  test(`refuses to load ${JSON.stringify(order)}`, async ({ scanner }) => {
    assert.is((await call(scanner, 'load', order)).status, 400);
    assert.is(scanner.state.sheetsLeft, 1);
  });
}

test.run();
