import type { DmsAccess } from '../../service/paperless/ask-dms.ts';
import { readObjects } from '../../service/paperless/names/objects.ts';
import { checkDestination } from './check-destination.ts';
import type { SetUpOptions } from './options.ts';
import type { Questions } from './questions.ts';
import { SetUpError } from './set-up-error.ts';

/** Where documents go, and what they are filed under. */
export interface ChosenDestination {
  readonly url: string;
  readonly token: string;
  readonly tags: readonly string[];
  readonly correspondent: string | undefined;
}

export interface DestinationContext {
  readonly questions: Questions;
  readonly options: SetUpOptions;
  /** What an earlier set-up wrote. */
  readonly earlier: { readonly url: string | undefined; readonly token: string | undefined };
}

/** Has the address and the token entered and checks both at once, then offers the tags and correspondents that exist. */
export async function chooseDestination(context: DestinationContext): Promise<ChosenDestination> {
  const { questions, options } = context;
  const access = await reach(context);
  questions.say('The address is right, and the token may add documents.');
  const tags = await chooseNames(access, 'tags', { questions, given: options.tags });
  const [correspondent] = await chooseNames(access, 'correspondents', {
    questions,
    given: options.correspondent,
  });
  return { url: access.endpoint.name, token: access.token, tags, correspondent };
}

async function reach({ questions, options, earlier }: DestinationContext): Promise<DmsAccess> {
  let { dmsUrl, token } = options;
  for (;;) {
    dmsUrl = await questions.text({
      question: 'Address of your Paperless-ngx',
      given: dmsUrl,
      suggestion: earlier.url,
      option: '--dms-url',
    });
    token = await askToken({ questions, given: token, earlier: earlier.token });
    const checked = await checkDestination(dmsUrl, token);
    if (checked.kind === 'good') return checked.access;
    questions.say(checked.problem);
    if (!questions.canAsk) throw new SetUpError('The destination was not set up.');
    // The other answer was right, or could not be looked at.
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
    question: `API token, from My Profile in Paperless-ngx${kept}`,
    given,
    suggestion: earlier === undefined ? undefined : '',
    option: 'the variable DMS_API_TOKEN',
    secret: true,
  });
  // As every example of the API shows it.
  const token = answer.replace(/^(?:Authorization:\s*)?Token\s+/iu, '');
  return token === '' ? (earlier ?? '') : token;
}

interface NamesContext {
  readonly questions: Questions;
  readonly given: string | undefined;
}

/** Names of those that exist; none if the user of the token may not see them. */
async function chooseNames(
  access: DmsAccess,
  kind: 'tags' | 'correspondents',
  { questions, given }: NamesContext,
): Promise<readonly string[]> {
  const answer = await readObjects(access, kind);
  const names = answer.kind === 'objects' ? answer.objects.map(({ name }) => name) : [];
  if (answer.kind === 'forbidden') {
    questions.say(`The user of the token may not view ${kind}, so none can be chosen here.`);
  }
  if (names.length === 0) return given === undefined ? [] : split(given);
  questions.say(`There are these ${kind}: ${names.join(', ')}`);
  let asked = given;
  for (;;) {
    const one = kind === 'tags' ? 'Tags for each document, separated by commas' : 'Correspondent';
    const text = await questions.text({
      question: `${one} (empty: none)`,
      given: asked,
      suggestion: '',
      option: `--${kind === 'tags' ? kind : 'correspondent'}`,
    });
    const wanted = kind === 'tags' ? split(text) : [text].filter((name) => name !== '');
    const missing = wanted.filter((name) => !names.includes(name));
    if (missing.length === 0) return wanted;
    const problem = `There is no ${missing.join(', ')}. Create it in Paperless-ngx, or choose another one.`;
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
