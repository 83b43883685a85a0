/**
 * `npm run test:usb` boots Debian 13 with its own kernel in an emulated machine, plugs in scanners
 * emulated at wire level, and scans through the installed service. Processor and sample DMS run
 * outside. Needs root. `-- button` selects cases by words in titles. The soak runs only on request:
 * `SEED=24 STACKS=50 npm run test:usb -- soak`.
 */
import path from 'node:path';
import { installPackages } from '../debian/packages.ts';
import { whereIs } from '../debian/programs.ts';
import { runByRoot } from '../debian/by-root.ts';
import { CASES, type Case } from './cases.ts';
import { CONTAINER_CASE } from './container-case.ts';
import { makeGuestImage } from './guest-image.ts';
import { startLab, type Lab } from './lab.ts';
import { SOAK } from './soak.ts';
import { THREE_SCANNERS } from './three-scanners.ts';
import { TRIGGER_CASES } from './trigger-cases.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../..');
const DEBIAN = { 'qemu-system-x86_64': 'qemu-system-x86', mke2fs: 'e2fsprogs' } as const;

await runByRoot('usb', async ({ directory, signal, say, check, count }) => {
  for (const [file, name] of Object.entries(DEBIAN)) {
    if ((await whereIs(file)) === undefined) await installPackages([name], signal);
  }
  say('Making a disk with Debian 13 and the service …');
  const image = await makeGuestImage(directory, { checkout: CHECKOUT, signal });
  say('Booting …');
  const booting = performance.now();
  const lab = await startLab(image, directory);
  say(`… the service is ready after ${seconds(booting)}.`);
  try {
    for (const { title, run } of askedCases()) {
      if (signal.aborted) break;
      const { failed } = count;
      const began = performance.now();
      const cpu = cpuSeconds(lab);
      const cost = (): string => `${seconds(began)}, ${(cpuSeconds(lab) - cpu).toFixed(1)} s CPU`;
      await check(
        title,
        async () => {
          await lab.reset();
          await run(lab);
        },
        cost,
      );
      if (count.failed > failed) say(await lab.recentLog());
    }
  } finally {
    await lab.close();
  }
});

function askedCases(): readonly Case[] {
  const words = process.argv.slice(2);
  if (words.includes('soak')) return [SOAK];
  const cases = [...CASES, ...TRIGGER_CASES, ...THREE_SCANNERS, CONTAINER_CASE];
  return cases.filter(
    ({ title }) => words.length === 0 || words.some((word) => title.includes(word)),
  );
}

function cpuSeconds({ guest }: Lab): number {
  const { user, system } = process.cpuUsage();
  return guest.cpuSeconds() + (user + system) / 1e6;
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
