import { programEnvironment, runProgram, type Ended } from '../../child-process.ts';
import { PYTHON } from './python.ts';
import { Failure } from '../../failure.ts';
import { describeEnd } from './toolbox.ts';

/** Asking a program for its version takes less than a second, even on a slow machine that has just started. */
const ASK_TIMEOUT_MS = 30_000;

/** Models of Tesseract that are no languages: orientation and script detection, equations. */
const NO_LANGUAGES = ['osd', 'equ'];

export interface InstalledTools {
  /** Version by program; `jbig2` only where it is there. */
  readonly versions: Readonly<Record<string, string>>;
  /** OCR languages, asked anew: they can be installed while the processor runs. */
  languages(): Promise<readonly string[]>;
  /** Throws Failure `language_missing`, naming those installed, unless Tesseract has all of these. */
  checkLanguages(wanted: readonly string[]): Promise<void>;
}

/** Programs that are asked for their version, and whether the processor can do without. */
const PROGRAMS = [
  { name: 'ocrmypdf', file: 'ocrmypdf', args: ['--version'], needed: true },
  { name: 'tesseract', file: 'tesseract', args: ['--version'], needed: true },
  { name: 'ghostscript', file: 'gs', args: ['--version'], needed: true },
  { name: 'python', file: PYTHON, args: ['--version'], needed: true },
  { name: 'pikepdf', file: PYTHON, args: ['-I', '-c', versionOf('pikepdf')], needed: true },
  { name: 'pillow', file: PYTHON, args: ['-I', '-c', versionOf('PIL')], needed: true },
  { name: 'jbig2', file: 'jbig2', args: ['--version'], needed: false },
] as const;

/** Asks what is installed; throws an Error that says how to install what is missing. */
export async function findTools(searchPath: string): Promise<InstalledTools> {
  const ask = (file: string, args: readonly string[]): Promise<Ended> =>
    runProgram(
      { file, args, cwd: '/', env: programEnvironment({ PATH: searchPath }) },
      { timeoutMs: ASK_TIMEOUT_MS },
    );
  const asked = await Promise.all(
    PROGRAMS.map(async (program) => ({ program, ended: await ask(program.file, program.args) })),
  );
  const missing = asked.filter(({ program, ended }) => program.needed && ended.exitCode !== 0);
  if (missing.length > 0) throw new Error(explain(missing));

  const listLanguages = async (): Promise<string[]> => {
    const ended = await ask('tesseract', ['--list-langs']);
    if (ended.exitCode !== 0) throw new Error(`tesseract --list-langs ${describeEnd(ended)}`);
    // The first line is a heading.
    const codes = ended.stdout
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
    return codes.filter((code) => code !== '' && !NO_LANGUAGES.includes(code));
  };
  let languages = await listLanguages();
  const found = asked.filter(({ ended }) => ended.exitCode === 0);
  return {
    versions: Object.fromEntries(
      found.map(({ program, ended }) => [program.name, readVersion(ended)]),
    ),
    languages: async () => {
      languages = await listLanguages();
      return languages;
    },
    checkLanguages: async (wanted) => {
      const isThere = (code: string): boolean => languages.includes(code);
      if (wanted.every(isThere)) return;
      languages = await listLanguages();
      const lacking = wanted.filter((code) => !isThere(code));
      if (lacking.length === 0) return;
      throw new Failure(
        'language_missing',
        `Tesseract has no language ${lacking.join(', ')}; installed are ${languages.join(', ')} ` +
          `(Debian: apt-get install ${lacking.map(packageOf).join(' ')})`,
      );
    },
  };
}

function versionOf(module: string): string {
  return `import ${module}; print(${module}.__version__)`;
}

function readVersion({ stdout, stderr }: Ended): string {
  return /\d+(?:\.\d+)+/.exec(stdout + stderr)?.[0] ?? 'unknown';
}

function packageOf(language: string): string {
  const name = language.toLowerCase().replaceAll('_', '-').replace('/', '-');
  return `tesseract-ocr-${name}`;
}

function explain(missing: readonly { program: { name: string }; ended: Ended }[]): string {
  const reasons = missing.map(({ program, ended }) => `${program.name} ${describeEnd(ended)}`);
  return (
    `the processor cannot work: ${reasons.join('; ')}. ` +
    'Debian: apt-get install ocrmypdf tesseract-ocr tesseract-ocr-eng ghostscript'
  );
}
