import Joi from 'joi';
import { Failure } from '../../failure.ts';
import { languagePackage } from '../../language-package.ts';
import type { Log } from '../../log.ts';
import { poll } from '../../poll.ts';
import { describeEnd, runTool, type JobContext, type PythonJobs } from './toolbox.ts';

/** Models that are no languages: orientation and script detection, equations. */
const NO_LANGUAGES = ['osd', 'equ'];

/** In milliseconds. Languages may be installed later, and a failed query of jbig2 is repeated. */
const REFRESH_INTERVAL_MS = 30_000;

const INSTALL =
  'apt-get install ocrmypdf tesseract-ocr tesseract-ocr-eng python3-tesserocr python3-pikepdf python3-pil python3-numpy';

export interface InstalledTools {
  /** As of the last query. `jbig2` only if installed. */
  readonly versions: Readonly<Record<string, string>>;
  readonly languages: () => readonly string[];
  /** Throws Failure `language_missing`, listing the installed languages. */
  readonly checkLanguages: (wanted: readonly string[]) => void;
  /** Stops polling. Resolves when no query is running. */
  close(): Promise<void>;
}

const versionsSchema = Joi.object<Record<string, string>>().pattern(Joi.string(), Joi.string());

/**
 * Polls the languages, and jbig2 if its query failed. Throws an Error that says how to install
 * missing tools.
 */
export async function findTools(
  context: JobContext,
  log: Log,
  refreshIntervalMs: number = REFRESH_INTERVAL_MS,
): Promise<InstalledTools> {
  const { python, recognizers } = context.toolbox;
  const [modules, tesseract, jbig2, languages] = await Promise.all([
    versionsOf('OCRmyPDF', python, context),
    versionsOf('Tesseract', recognizers, context),
    jbig2Version(context),
    listLanguages(context),
  ]);
  const first: Changing = { jbig2, languages };
  const closing = new AbortController();
  const asking = { ...context, signal: AbortSignal.any([context.signal, closing.signal]) };
  const polled = await poll<Changing>({
    known: first,
    look: async (last = first) => ({
      jbig2: last.jbig2 === undefined ? await jbig2Version(asking) : last.jbig2,
      languages: await listLanguages(asking),
    }),
    everyMs: refreshIntervalMs,
    onError: (err) => {
      if (closing.signal.aborted) return;
      log.warn({ event: 'languages_unknown', err }, 'Tesseract does not list its languages');
    },
  });
  const now = (): Changing => polled.value() ?? first;
  return {
    get versions() {
      const encoder = now().jbig2;
      return { ...modules, ...tesseract, ...(encoder && { jbig2: encoder }) };
    },
    languages: () => now().languages,
    checkLanguages: (wanted) => {
      const lacking = wanted.filter((code) => !now().languages.includes(code));
      if (lacking.length > 0) throw languageMissing(lacking, now().languages);
    },
    close: async () => {
      polled.close();
      closing.abort();
      await polled.idle();
    },
  };
}

interface Changing {
  readonly jbig2: string | null | undefined;
  readonly languages: readonly string[];
}

/** Throws an Error with the command that installs missing packages. */
export async function versionsOf(
  what: 'OCRmyPDF' | 'Tesseract',
  jobs: PythonJobs,
  context: JobContext,
): Promise<Record<string, string>> {
  try {
    return await jobs.run({ job: 'versions', options: {}, schema: versionsSchema }, context);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${what} for Python cannot be used (${reason}). Debian: ${INSTALL}`, { cause });
  }
}

/** Null if not installed, undefined if it could not be run. */
async function jbig2Version(context: JobContext): Promise<string | null | undefined> {
  const ended = await runTool({ file: 'jbig2', args: ['--version'] }, context);
  if (ended.notFound) return null;
  if (ended.exitCode !== 0) return undefined;
  return /\d+(?:\.\d+)+/.exec(ended.stdout + ended.stderr)?.[0] ?? 'unknown';
}

async function listLanguages(context: JobContext): Promise<string[]> {
  const ended = await runTool({ file: 'tesseract', args: ['--list-langs'] }, context);
  if (ended.exitCode !== 0) {
    throw new Error(`tesseract --list-langs ${describeEnd(ended)}. Debian: ${INSTALL}`);
  }
  const [heading = '', ...codes] = ended.stdout.split('\n').map((line) => line.trim());
  const languages = codes.filter((code) => code !== '' && !NO_LANGUAGES.includes(code));
  // Tesseract prints an empty list if it cannot open the directory.
  if (languages.length === 0) {
    const said = heading.replace(/:$/, '');
    throw new Error(`Tesseract has no languages (${said}). Debian: ${INSTALL}`);
  }
  return languages;
}

function languageMissing(lacking: readonly string[], languages: readonly string[]): Failure {
  return new Failure(
    'language_missing',
    `Tesseract does not have the language ${lacking.join(', ')}; it has ${languages.join(', ')}. ` +
      `Debian: apt-get install ${lacking.map(languagePackage).join(' ')}`,
  );
}
