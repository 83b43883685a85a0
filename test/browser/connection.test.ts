import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestApp } from '../support/test-app.ts';
import { withFixture } from '../support/with-fixture.ts';
import { createCable } from './cable.ts';
import { createPageBench, press, says } from './page-bench.ts';

const test = withFixture(suite('the control page, where the connection is lost'), async () => {
  const bench = await createPageBench();
  const cable = await createCable(bench.app.port);
  const close = async (): Promise<void> => {
    await cable.close();
    await bench.close();
  };
  return { ...bench, cable, close };
});

async function scanCount(app: TestApp): Promise<number> {
  const { json } = await app.send({ path: '/scans' });
  return Array.isArray(json?.['scans']) ? json['scans'].length : 0;
}

test('a reload in the middle, or a network that is cut, costs nothing but the wait', async ({
  app,
  cable,
  feeder,
  open,
}) => {
  const page = await open(cable.address);
  const posts: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()));
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  await page.getByText('1 page', { exact: true }).waitFor();
  cable.cut();
  await says(page, 'No connection. Trying again.');
  await feeder.feedPages(2);
  cable.mend();
  await page.getByText('3 pages', { exact: true }).waitFor();
  await page.reload();
  await says(page, 'Scanning');
  await page.getByText('3 pages', { exact: true }).waitFor();
  await feeder.feedPages(1);
  await page.getByText('4 pages', { exact: true }).waitFor();
  cable.cut();
  feeder.end();
  await says(page, 'No connection. Trying again.');
  cable.mend();
  await says(page, 'Filed');
  assert.is(posts.length, 1);
  assert.is(await scanCount(app), 1);
});

test('a press without a network scans once it is back, once', async ({
  app,
  cable,
  feeder,
  open,
}) => {
  const page = await open(cable.address);
  await says(page, 'What are you scanning?');
  cable.cut();
  await press(page, /Letters and invoices/);
  await says(page, 'No connection. Trying again.');
  cable.mend();
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Filed');
  assert.is(await scanCount(app), 1);
});

test.run();
