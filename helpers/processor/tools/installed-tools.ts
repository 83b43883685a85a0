import Joi from 'joi';
import { Failure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import { describeEnd, runTool, type JobContext } from './toolbox.ts';

/** Models of Tesseract that are no languages: orientation and script detection, equations. */
const NO_LANGUAGES = ['osd', 'equ'];

/** How often Tesseract is asked for its languages, in milliseconds: they can be installed while the processor runs. */
const REFRESH_INTERVAL_MS = 30_000;

const INSTALL =
  'apt-get install ocrmypdf tesseract-ocr tesseract-ocr-eng python3-pikepdf python3-pil python3-numpy';

export interface InstalledTools {
  /** Version by program; `jbig2` only where it is there. */
  readonly versions: Readonly<Record<string, string>>;
  /** OCR languages, as they were when Tesseract was last asked. */
  readonly languages: () => readonly string[];
  /** Throws Failure `language_missing`, naming those installed, unless Tesseract has all of these. */
  readonly checkLanguages: (wanted: readonly string[]) => void;
  /** Stops asking. */
  close(): void;
}

const versionsSchema = Joi.object<Record<string, string>>().pattern(Joi.string(), Joi.string());

/**
 * Finds out what is installed, once; only the languages are asked for again, in the background. Throws an Error that says
 * how to install what is missing.
 */
export async function findTools(
  context: JobContext,
  log: Log,
  refreshIntervalMs: number = REFRESH_INTERVAL_MS,
): Promise<InstalledTools> {
  const [modules, tesseract, jbig2] = await Promise.all([
    pythonVersions(context),
    versionOf('tesseract', context),
    versionOf('jbig2', context).catch(() => undefined),
  ]);
  let languages = await listLanguages(context);
  const timer = setInterval(() => {
    listLanguages(context).then(
      (listed) => (languages = listed),
      (error: unknown) =>
        log.warn(
          { event: 'languages_unknown', err: error },
          'Tesseract does not list its languages',
        ),
    );
  }, refreshIntervalMs).unref();
  return {
    versions: { ...modules, tesseract, ...(jbig2 !== undefined && { jbig2 }) },
    languages: () => languages,
    checkLanguages: (wanted) => {
      const lacking = wanted.filter((code) => !languages.includes(code));
      if (lacking.length > 0) throw languageMissing(lacking, languages);
    },
    close: () => clearInterval(timer),
  };
}

/** Versions of Python and of its modules that the jobs need. Throws an Error that says how to install what is missing. */
export async function pythonVersions(context: JobContext): Promise<Record<string, string>> {
  try {
    const job = { job: 'versions', options: {}, schema: versionsSchema };
    return await context.toolbox.python.run(job, context);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`OCRmyPDF for Python cannot be used (${reason}). Debian: ${INSTALL}`, {
      cause,
    });
  }
}

async function versionOf(file: string, context: JobContext): Promise<string> {
  const ended = await runTool({ file, args: ['--version'] }, context);
  if (ended.exitCode !== 0) throw new Error(`${file} ${describeEnd(ended)}. Debian: ${INSTALL}`);
  return /\d+(?:\.\d+)+/.exec(ended.stdout + ended.stderr)?.[0] ?? 'unknown';
}

async function listLanguages(context: JobContext): Promise<string[]> {
  const ended = await runTool({ file: 'tesseract', args: ['--list-langs'] }, context);
  if (ended.exitCode !== 0) throw new Error(`tesseract --list-langs ${describeEnd(ended)}`);
  // The first line is a heading.
  const [, ...codes] = ended.stdout.split('\n').map((line) => line.trim());
  return codes.filter((code) => code !== '' && !NO_LANGUAGES.includes(code));
}

function languageMissing(lacking: readonly string[], languages: readonly string[]): Failure {
  return new Failure(
    'language_missing',
    `Tesseract does not have the language ${lacking.join(', ')}; it has ${languages.join(', ')}. ` +
      `Debian: apt-get install ${lacking.map(packageOf).join(' ')}`,
  );
}

function packageOf(language: string): string {
  const name = language.toLowerCase().replaceAll('_', '-').replace('/', '-');
  return `tesseract-ocr-${name}`;
}
