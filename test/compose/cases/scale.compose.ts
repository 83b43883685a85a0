import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { attach } from '../appliance.ts';

const test = suite('docker compose up --scale processor=2');
const appliance = await attach();
await appliance.ready();

/** Of what both processors computed for a scan, the share that the less busy one has at least. */
const LEAST_SHARE = 0.2;

const scaleTo = async (count: number): Promise<string> =>
  appliance.compose([
    'up',
    '--detach',
    '--no-build',
    '--no-recreate',
    '--wait',
    '--scale',
    `processor=${count}`,
    'processor',
  ]);

/** Processor time that a container has used since its start, in microseconds, by the kernel's account. */
async function usedTime(container: string): Promise<number> {
  const script = `const fs = require('fs');
    const read = (file) => { try { return fs.readFileSync('/sys/fs/cgroup/' + file, 'utf8') } catch { return '' } };
    const v2 = /usage_usec (\\d+)/.exec(read('cpu.stat'))?.[1];
    console.log(v2 ?? Number(read('cpuacct/cpuacct.usage')) / 1000)`;
  return Number(await appliance.docker.run(['exec', container, 'node', '-e', script]));
}

test('spreads the pages of one scan over both', async () => {
  await scaleTo(2);
  try {
    const containers = await appliance.containers('processor');
    assert.is(containers.length, 2);
    const before = await Promise.all(containers.map(usedTime));
    await appliance.load('scanner', { stack: 'ten' });
    const result = await appliance.scanned({ profile: 'simplex' });
    assert.is(result.page_count, 10);
    const after = await Promise.all(containers.map(usedTime));
    const used = after.map((time, index) => time - (before[index] ?? 0));
    const share = Math.min(...used) / used.reduce((sum, time) => sum + time, 0);
    assert.ok(share >= LEAST_SHARE, `the less busy one did ${(share * 100).toFixed(0)} %`);
  } finally {
    await scaleTo(1);
  }
});

test.run();
