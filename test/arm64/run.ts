/**
 * `npm run test:arm64`: the demo in Debian 13 for arm64 under QEMU user emulation. Shows that all
 * programs exist and work, not their speed. Needs root and about an hour.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installPackages } from '../debian/packages.ts';
import { program, whereIs } from '../debian/programs.ts';
import { runByRoot } from '../debian/by-root.ts';
import { copyCheckout, makeRoot } from '../debian/root.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../..');
const BINFMT = '/proc/sys/fs/binfmt_misc';

/** ELF header and mask of arm64 programs, as Debian's qemu-user-static registers them. */
const MAGIC =
  '\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00';
const MASK =
  '\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff';

/** One page, since recognition is slow under emulation. */
const RUN = `cd /opt/scan-service
mkdir simulators/pages/arm64-test
cp simulators/pages/receipt.jpg simulators/pages/arm64-test/
npm run demo -- --once --pages simulators/pages/arm64-test --ppm 10`;

await runByRoot('arm64', async ({ directory, signal, say, check }) => {
  await provideEmulator(signal);
  say('Making a Debian 13 for arm64 …');
  const include = ['ca-certificates'];
  const root = await makeRoot({ directory, include, architecture: 'arm64', signal });
  await copyCheckout(CHECKOUT, path.join(directory, 'opt/scan-service'));
  say('Installing npm and git …');
  await root.run('apt-get update && apt-get install --yes --no-install-recommends npm git');
  await check('the demo scans, recognizes and files a page', async () => {
    const printed = await root.run(RUN);
    if (!/Text found in document-0001\.pdf[^]*Station/u.test(printed)) throw new Error(printed);
    say(printed);
  });
});

/** Registers the emulator with the kernel. Flag F makes it available inside other roots. */
async function provideEmulator(signal: AbortSignal): Promise<void> {
  if (process.arch === 'arm64') return;
  if ((await whereIs('qemu-aarch64-static')) === undefined) {
    await installPackages(['qemu-user-static', 'debootstrap'], signal);
  }
  if (existsSync(`${BINFMT}/qemu-aarch64`)) return;
  if (!existsSync(`${BINFMT}/register`)) {
    await program(['mount', '-t', 'binfmt_misc', 'binfmt_misc', BINFMT]);
  }
  const emulator = await whereIs('qemu-aarch64-static');
  await writeFile(`${BINFMT}/register`, `:qemu-aarch64:M::${MAGIC}:${MASK}:${emulator}:F`);
}
