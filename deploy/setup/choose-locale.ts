import { fieldsOf, readOrEmpty, type Earlier } from './earlier.ts';
import type { SetUpOptions } from './options.ts';
import type { Questions } from './questions.ts';
import { SetUpError } from './set-up-error.ts';

export interface LocaleContext {
  readonly questions: Questions;
  readonly options: SetUpOptions;
  readonly earlier: Pick<Earlier, 'profile' | 'setting'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Languages by their code in a locale, as Tesseract calls them. */
const TESSERACT: ReadonlyMap<string, string> = new Map([
  ['bg', 'bul'],
  ['ca', 'cat'],
  ['cs', 'ces'],
  ['da', 'dan'],
  ['de', 'deu'],
  ['el', 'ell'],
  ['en', 'eng'],
  ['es', 'spa'],
  ['et', 'est'],
  ['fi', 'fin'],
  ['fr', 'fra'],
  ['hr', 'hrv'],
  ['hu', 'hun'],
  ['it', 'ita'],
  ['ja', 'jpn'],
  ['ko', 'kor'],
  ['lt', 'lit'],
  ['lv', 'lav'],
  ['nb', 'nor'],
  ['nl', 'nld'],
  ['nn', 'nor'],
  ['no', 'nor'],
  ['pl', 'pol'],
  ['pt', 'por'],
  ['ro', 'ron'],
  ['ru', 'rus'],
  ['sk', 'slk'],
  ['sl', 'slv'],
  ['sr', 'srp'],
  ['sv', 'swe'],
  ['tr', 'tur'],
  ['uk', 'ukr'],
]);

/** Those languages by their names in English and in themselves, in small letters. */
const NAMES: ReadonlyMap<string, string> = new Map(
  [...TESSERACT].flatMap(([code, tesseract]) =>
    ['en', code].map((inLanguage) => {
      const name = new Intl.DisplayNames([inLanguage], { type: 'language' }).of(code) ?? code;
      return [name.toLowerCase(), tesseract] as const;
    }),
  ),
);

/** What Debian's packages are called after, but for letters and signs; as the schema of profiles has it. */
const CODE = /^[A-Za-z0-9_]{2,40}$/u;

/** Where Debian keeps the language that was chosen at its installation, also for a log-in that has none. */
const SYSTEM_LOCALE = '/etc/default/locale';

/** Tesseract's codes of the languages of the documents, beginning with that of the system. */
export async function chooseLanguages(context: LocaleContext): Promise<readonly string[]> {
  const { questions, options, earlier, environment } = context;
  const before = fieldsOf(earlier.profile?.['processing'])?.['languages'];
  const known = Array.isArray(before) ? before.map(String) : await systemLanguages(environment);
  let given = options.languages;
  for (;;) {
    const text = await questions.text({
      question: 'Languages of your documents, the most frequent one first',
      given,
      suggestion: known.join(' '),
      option: '--languages',
    });
    const asked = [...new Set(text.split(/[\s,+]+/u).filter((code) => code !== ''))];
    const codes = asked.map((word) => {
      const key = word.toLowerCase();
      return TESSERACT.get(key) ?? NAMES.get(key) ?? word;
    });
    const wrong = codes.find((code) => !CODE.test(code));
    if (wrong === undefined && codes.length > 0) return codes;
    const problem = `"${wrong ?? text}" is not a language, such as German, or its code, such as deu.`;
    if (!questions.canAsk) throw new SetUpError(`${problem} Correct --languages.`);
    questions.say(problem);
    given = undefined;
  }
}

/** The language of the system first, as most documents are in it; English can always be read. */
async function systemLanguages(
  environment: LocaleContext['environment'],
): Promise<readonly string[]> {
  const set = environment['LC_ALL'] || environment['LC_MESSAGES'] || environment['LANG'];
  const stored = /^(?:LC_ALL|LANG)="?([^"\n]*)/mu.exec(await readOrEmpty(SYSTEM_LOCALE))?.[1];
  const [code] = [set, stored]
    .map((locale) => TESSERACT.get(locale?.split('_')[0] ?? ''))
    .filter((one) => one !== undefined);
  return [...new Set([code ?? 'eng', 'eng'])];
}

/** The time zone; undefined where that of the system is right. */
export async function chooseTimeZone(context: LocaleContext): Promise<string | undefined> {
  const { questions, options, earlier } = context;
  const system = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  let given = options.timeZone;
  for (;;) {
    const zone = await questions.text({
      question: 'Time zone, for the dates in titles',
      given,
      suggestion: earlier.setting('TZ') ?? system,
      option: '--time-zone',
    });
    if (isTimeZone(zone)) return zone === system && !earlier.setting('TZ') ? undefined : zone;
    const problem = `There is no time zone "${zone}". It is a name such as Europe/Berlin.`;
    if (!questions.canAsk) throw new SetUpError(`${problem} Correct --time-zone.`);
    questions.say(problem);
    given = undefined;
  }
}

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
