import { attach } from '../appliance.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('memory');
const appliance = await attach();

/** Permitted growth of the service for buffers; twenty pages have 174 MB. */
const GROWTH_MB = 80;
const STACK = (
  'letter-insurance letter-landlord letter-school letter-bank invoice ' +
  'article-one article-two minutes report manual'
)
  .split(' ')
  .map((name) => `${name}.jpg`);

async function peak(): Promise<number> {
  const script = `const fs = require('fs');
    const statuses = fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))
      .filter((pid) => fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8').includes('/main.ts'))
      .map((pid) => /VmHWM:\\s*(\\d+) kB/.exec(fs.readFileSync('/proc/' + pid + '/status', 'utf8'))?.[1] ?? 0);
    console.log(Math.max(...statuses.map(Number)))`;
  return Number(await appliance.node('service', script)) / 1000;
}

test('the service does not hold twenty pages in memory', async () => {
  const pages = [...STACK, ...STACK];
  const before = await peak();
  await appliance.load('scanner', { pages });
  const { page_count } = await appliance.scanned({ profile: 'simplex' });
  assert.is(page_count, pages.length);
  const after = await peak();
  assert.ok(after - before <= GROWTH_MB, `${before} MB, then ${after} MB`);
});
