/**
 * Sets and prints a new operator password, if the old one is lost or set-up ran in the terminal.
 * Ends all sessions. Run it as root or as the user of the service; with Compose, use `docker
 * compose exec service`.
 */
import { randomInt } from 'node:crypto';
import { lchown, lstat, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { errorCode, messageOf } from '../../helpers/error-code.ts';
import { usageProblem, WRONG_USAGE } from '../../helpers/usage.ts';
import { readEnvironment } from '../../service/environment.ts';
import { OPERATOR_FILE, setPassword } from '../../service/operator/operator.ts';
import { createOwnFiles, type OwnFiles } from '../../service/settings/own-files.ts';

const USAGE = `Usage: npm run operator-password -- [options]
       docker compose exec service node deploy/setup/operator-password.ts

Sets a new operator password for the settings in the browser, prints it once, and ends all sessions.

  --help    show this help`;

/** Omits letters and digits that look alike. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_LENGTH = 4;

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const options = { help: { type: 'boolean', default: false } } as const;
    const { values } = parseArgs({ options });
    if (!values.help) return await setNewPassword();
    console.log(USAGE);
    return 0;
  } catch (error) {
    console.error(usageProblem(error, USAGE));
    return WRONG_USAGE;
  }
}

async function setNewPassword(): Promise<number> {
  const files = createOwnFiles(readEnvironment().settingsDir);
  const password = newPassword();
  try {
    await setPassword(files, password);
    await giveToService(files);
  } catch (error) {
    const why = errorCode(error) ?? messageOf(error);
    console.error(
      `The password cannot be stored in ${files.root} (${why}). Run this as root, or as the user of the service.`,
    );
    return 1;
  }
  console.log(
    `The operator password is now: ${password}\nIt is stored as a hash only: write it down. All sessions have ended.`,
  );
  return 0;
}

function newPassword(): string {
  const letters = (count: number): string =>
    Array.from({ length: count }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return Array.from({ length: GROUPS }, () => letters(GROUP_LENGTH)).join('-');
}

/**
 * Files that root wrote must belong to the service's user, who owns their directory. Follows no
 * link, because that user could make one to a directory of root.
 */
async function giveToService({ root, pathOf }: OwnFiles): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const above = await stat(path.dirname(root));
  const own = await lstat(root);
  if (own.uid === 0 && above.uid !== 0) await lchown(root, above.uid, above.gid);
  const { uid, gid } = await stat(root);
  const file = pathOf(OPERATOR_FILE);
  await lchown(file, uid, gid);
}
