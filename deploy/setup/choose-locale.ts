import { languagesOfLocale, readLanguages } from '../../service/set-up/languages.ts';
import { messageFor, textOf } from '../../service/set-up/texts/texts.ts';
import { timeZoneOf } from '../../service/set-up/time-zone.ts';
import { readOrEmpty, type Earlier } from './earlier.ts';
import type { SetUpOptions } from './options.ts';
import type { Questions } from './questions.ts';
import { SetUpError } from './set-up-error.ts';

export interface LocaleContext {
  readonly questions: Questions;
  readonly options: SetUpOptions;
  readonly earlier: Pick<Earlier, 'languages' | 'setting'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Debian's language, chosen at installation; the log-in may have none. */
const SYSTEM_LOCALE = '/etc/default/locale';

export async function chooseLanguages(context: LocaleContext): Promise<readonly string[]> {
  const { questions, options, earlier, environment } = context;
  const known = earlier.languages ?? (await systemLanguages(environment));
  let given = options.languages;
  for (;;) {
    const text = await questions.text({
      question: 'Languages of your documents, the most frequent one first',
      given,
      suggestion: known.join(' '),
      option: '--languages',
    });
    const read = readLanguages(text);
    if (read.kind === 'codes') return read.codes;
    const problem = textOf(read.message);
    if (!questions.canAsk) throw new SetUpError(`${problem} Correct --languages.`);
    questions.say(problem);
    given = undefined;
  }
}

/** The system's language, in which most documents are, then English, which is always installed. */
async function systemLanguages(
  environment: LocaleContext['environment'],
): Promise<readonly string[]> {
  const set = environment['LC_ALL'] || environment['LC_MESSAGES'] || environment['LANG'];
  const stored = /^(?:LC_ALL|LANG)="?([^"\n]*)/mu.exec(await readOrEmpty(SYSTEM_LOCALE))?.[1];
  return languagesOfLocale(set, stored);
}

/** The time zone to set; undefined if the system's is right. */
export async function chooseTimeZone(context: LocaleContext): Promise<string | undefined> {
  const { questions, options, earlier } = context;
  const system = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  let given = options.timeZone;
  for (;;) {
    const typed = await questions.text({
      question: 'Time zone, for the dates in titles',
      given,
      suggestion: earlier.setting('TZ') ?? system,
      option: '--time-zone',
    });
    const zone = timeZoneOf(typed);
    if (zone !== undefined) return zone === system && !earlier.setting('TZ') ? undefined : zone;
    const problem = textOf(messageFor('time_zone.unknown', { given: typed }));
    if (!questions.canAsk) throw new SetUpError(`${problem} Correct --time-zone.`);
    questions.say(problem);
    given = undefined;
  }
}
