import type { DmsAccess } from '../../service/paperless/ask-dms.ts';
import { readObjects } from '../../service/paperless/names/objects.ts';
import { bareToken } from '../../service/paperless/token.ts';
import { addressProblem, checkDestination } from '../../service/set-up/check-destination.ts';
import {
  findNames,
  namesOrIds,
  storedNames,
  type NameOrId,
} from '../../service/set-up/destination-names.ts';
import { textIn } from '../../service/set-up/fields.ts';
import type { ChosenDestination } from '../../service/set-up/profile-text.ts';
import { messageFor, textOf } from '../../service/set-up/texts/texts.ts';
import type { Earlier } from './earlier.ts';
import type { SetUpOptions } from './options.ts';
import type { Questions } from './questions.ts';
import { SetUpError } from './set-up-error.ts';

export interface DestinationContext {
  readonly questions: Questions;
  readonly options: SetUpOptions;
  readonly earlier: Pick<Earlier, 'destination' | 'token' | 'setting'>;
}

/** Asks for address and token, checks both, and offers the existing tags and correspondents. */
export async function chooseDestination(context: DestinationContext): Promise<ChosenDestination> {
  const { questions, options, earlier } = context;
  const access = await reach(context);
  questions.say(textOf(messageFor('paperless.token_good')));
  const tags = await chooseNames(access, 'tags', {
    questions,
    given: options.tags,
    before: namesOrIds(earlier.destination['tags']),
  });
  const [correspondent] = await chooseNames(access, 'correspondents', {
    questions,
    given: options.correspondent,
    before: namesOrIds(earlier.destination['correspondent']),
  });
  return { url: access.endpoint.name, token: access.token, tags, correspondent };
}

async function reach({ questions, options, earlier }: DestinationContext): Promise<DmsAccess> {
  let { dmsUrl, token } = options;
  let answersAt: string | undefined;
  for (;;) {
    dmsUrl = await questions.text({
      question: 'Address of your Paperless-ngx',
      given: dmsUrl,
      suggestion: textIn(earlier.destination, 'base_url') ?? earlier.setting('DMS_URL'),
      option: '--dms-url',
    });
    if (token === undefined && dmsUrl !== answersAt) {
      const problem = await addressProblem(dmsUrl);
      if (problem !== undefined) {
        questions.say(problem);
        if (!questions.canAsk) throw new SetUpError('The destination was not set up.');
        dmsUrl = undefined;
        continue;
      }
      questions.say(textOf(messageFor('paperless.answers')));
      answersAt = dmsUrl;
    }
    token = await askToken({ questions, given: token, earlier: earlier.token });
    const checked = await checkDestination(dmsUrl, token);
    if (checked.kind === 'good') return checked.access;
    questions.say(checked.problem);
    if (!questions.canAsk) throw new SetUpError('The destination was not set up.');
    // Asks again for the wrong answer only.
    if (checked.isToken) token = undefined;
    else dmsUrl = undefined;
  }
}

async function askToken({
  questions,
  given,
  earlier,
}: {
  readonly questions: Questions;
  readonly given: string | undefined;
  readonly earlier: string | undefined;
}): Promise<string> {
  const kept = earlier === undefined ? '' : ' (empty: the stored one)';
  const answer = await questions.text({
    question: `API token, from My Profile in Paperless-ngx, not shown while you paste it${kept}`,
    given,
    suggestion: earlier === undefined ? undefined : '',
    option: 'the variable DMS_API_TOKEN',
    secret: true,
  });
  const token = bareToken(answer);
  return token === '' ? (earlier ?? '') : token;
}

interface NamesContext {
  readonly questions: Questions;
  readonly given: string | undefined;
  readonly before: readonly NameOrId[];
}

/** This answer removes the profile's values. */
const NONE = '-';

/** One screenful. Other names can be typed. */
const MAX_SHOWN = 40;

/** Existing names. If the user may not list them, those of the profile or the options. */
async function chooseNames(
  access: DmsAccess,
  kind: 'tags' | 'correspondents',
  { questions, given, before }: NamesContext,
): Promise<readonly NameOrId[]> {
  const answer = await readObjects(access, kind);
  const objects = answer.kind === 'objects' ? answer.objects : [];
  const names = objects.map(({ name }) => name);
  if (answer.kind === 'forbidden') {
    questions.say(textOf(messageFor('paperless.no_views', { kind })));
  }
  if (names.length === 0) return given === undefined ? before : split(given);
  const more = names.length > MAX_SHOWN ? `, and ${names.length - MAX_SHOWN} more` : '';
  questions.say(`There are these ${kind}: ${names.slice(0, MAX_SHOWN).join(', ')}${more}`);
  const { kept, gone } = storedNames(before, objects);
  if (gone.length > 0) questions.say(`The profile has ${gone.join(', ')}, which is not there.`);
  let asked = given;
  for (;;) {
    const one = kind === 'tags' ? 'Tags for each document, separated by commas' : 'Correspondent';
    const text = await questions.text({
      question: `${one} (${kept.length > 0 ? NONE : 'empty'}: none)`,
      given: asked,
      suggestion: kept.join(', '),
      option: `--${kind === 'tags' ? kind : 'correspondent'}`,
    });
    if (text === NONE) return [];
    const wanted = kind === 'tags' ? split(text) : [text].filter((name) => name !== '');
    const found = findNames(wanted, names);
    if (found.kind === 'found') return found.names;
    const { problem } = found;
    if (!questions.canAsk) throw new SetUpError(problem);
    questions.say(problem);
    asked = undefined;
  }
}

function split(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
