import { programEnvironment, runProgram } from '../../helpers/child-process.ts';
import { languagePackage } from '../../helpers/language-package.ts';
import type { Questions } from './questions.ts';

/** In milliseconds. For a download of some MB over a slow connection. */
const INSTALL_MS = 10 * 60_000;

const LIST_MS = 30_000;

/**
 * Offers to install missing languages. Returns those installed afterwards, or else `eng`, because a
 * profile with a missing language is not loaded.
 */
export async function offerLanguages(
  wanted: readonly string[],
  questions: Questions,
): Promise<readonly string[]> {
  const missing = await lacking(wanted);
  if (missing.length === 0) return wanted;
  const packages = missing.map(languagePackage);
  const command = `sudo apt-get install ${packages.join(' ')}`;
  const question = `Tesseract cannot read ${missing.join(', ')} yet. Install ${packages.join(' ')}?`;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && (!questions.canAsk || (await questions.confirm(question, undefined)))) {
    questions.say('Installing …');
    await run('apt-get', ['install', '--yes', '--no-install-recommends', ...packages], INSTALL_MS);
  }
  const left = await lacking(wanted);
  if (left.length === 0) return wanted;
  questions.say(
    `${left.join(', ')} is left out, because it is not installed. If that is how Tesseract calls the language, run this, then the set-up again:\n  ${command}`,
  );
  const there = wanted.filter((code) => !left.includes(code));
  return there.length > 0 ? there : ['eng'];
}

async function lacking(wanted: readonly string[]): Promise<string[]> {
  const { stdout } = await run('tesseract', ['--list-langs'], LIST_MS);
  const installed = stdout.split('\n').map((line) => line.trim());
  return wanted.filter((code) => !installed.includes(code));
}

async function run(
  file: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<{ readonly stdout: string }> {
  const env = programEnvironment({
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    DEBIAN_FRONTEND: 'noninteractive',
  });
  return runProgram({ file, args, cwd: '/', env }, { timeoutMs });
}
