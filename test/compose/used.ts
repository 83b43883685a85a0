import type { Composition } from './composition.ts';

/** CPU time since the container's start, in microseconds. */
async function processorTimeOf(
  { docker }: Pick<Composition, 'docker'>,
  id: string,
): Promise<number> {
  const script = `const fs = require('fs');
    const read = (file) => { try { return fs.readFileSync('/sys/fs/cgroup/' + file, 'utf8') } catch { return '' } };
    const v2 = /usage_usec (\\d+)/.exec(read('cpu.stat'))?.[1];
    console.log(v2 ?? Number(read('cpuacct/cpuacct.usage')) / 1000)`;
  return Number(await docker.run(['exec', id, 'node', '-e', script]));
}

/** The least busy container's share of the CPU time of all since `before`. */
export async function leastShare(
  composition: Pick<Composition, 'docker'>,
  before: ReadonlyMap<string, number>,
): Promise<number> {
  const used = await Promise.all(
    [...before].map(async ([id, time]) => (await processorTimeOf(composition, id)) - time),
  );
  return Math.min(...used) / used.reduce((sum, time) => sum + time, 0);
}

export async function processorTimes(
  composition: Pick<Composition, 'docker'>,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const times = await Promise.all(ids.map(async (id) => processorTimeOf(composition, id)));
  return new Map(ids.map((id, index) => [id, times[index] ?? 0]));
}
