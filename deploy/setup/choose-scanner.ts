import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../helpers/error-code.ts';
import { isDeviceName, lastingName } from '../../helpers/device-names.ts';
import type { Device } from '../../helpers/ipc/messages.ts';
import { AREA_UNUSABLE } from '../../helpers/scanner-words.ts';
import type { ScannerClient } from '../../service/scanner/scanner-client.ts';
import {
  isEarlierScanner,
  lookAtScanner,
  scannersIn,
  type ChosenScanner,
} from '../../service/set-up/look-at-scanner.ts';
import { messageFor, textOf } from '../../service/set-up/texts/texts.ts';
import type { Questions } from './questions.ts';
import { SetUpError } from './set-up-error.ts';

/** Allows an address instead of a number. A name without a dot is a mistyped choice. */
const TYPED_ADDRESS = /[.:]/u;

/** A Raspberry Pi takes several seconds to start the scanner runtime. */
const STARTED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;

const BY_ADDRESS = 'a scanner on the network, by its address';
const LATER_CHOICE = 'none of these: it is not at hand, go on without it';

/** The answer if the scanner is not available. */
const LATER = 'later';

export interface ScannerContext {
  readonly questions: Questions;
  readonly given: string | undefined;
  readonly earlier: string | undefined;
}

/** Asks for a scanner and reads its options, until one responds or the user skips this step. */
export async function chooseScanner(
  scanner: ScannerClient,
  { questions, given, earlier }: ScannerContext,
): Promise<ChosenScanner> {
  await untilStarted(scanner);
  let answer = given;
  let devices: readonly Device[] | undefined;
  for (;;) {
    if (answer === undefined && devices === undefined) devices = await listed(scanner, questions);
    const asked = answer ?? (await ask(devices ?? [], { questions, earlier }));
    answer = undefined;
    if (asked === LATER) {
      questions.say(textOf(messageFor('scanner.later')));
      return { device: earlier ?? 'auto', escl: undefined, description: undefined };
    }
    const found = await lookAtScanner(scanner, asked);
    if (found.kind === 'found') {
      const { device, description } = found.scanner;
      questions.say(textOf(messageFor('scanner.answers', { device })));
      if (description?.area_unusable) {
        questions.say(`${AREA_UNUSABLE.what} ${AREA_UNUSABLE.remedy}`);
      }
      return found.scanner;
    }
    questions.say(textOf(found.message));
    if (!questions.canAsk)
      throw new SetUpError(
        `No scanner was set up. Give another one with --scanner, or "--scanner ${LATER}".`,
      );
  }
}

async function listed(scanner: ScannerClient, questions: Questions): Promise<readonly Device[]> {
  questions.say(textOf(messageFor('scanner.searching')));
  const devices = await scanner
    .listDevices(new AbortController().signal)
    .catch((error: unknown) => {
      questions.say(messageOf(error));
      return [];
    });
  const found = scannersIn(devices);
  if (found.length === 0) questions.say(textOf(messageFor('scanner.none_found')));
  return found;
}

/** Waits for a starting scanner runtime. If it does not start, the next request fails. */
async function untilStarted(scanner: ScannerClient): Promise<void> {
  const giveUp = Date.now() + STARTED_WITHIN_MS;
  while (Date.now() < giveUp) {
    const answers = await scanner.health(new AbortController().signal).then(
      () => true,
      () => false,
    );
    if (answers) return;
    await sleep(LOOK_EVERY_MS);
  }
}

async function ask(
  devices: readonly Device[],
  { questions, earlier }: Pick<ScannerContext, 'questions' | 'earlier'>,
): Promise<Device | string> {
  const option = '--scanner';
  if (devices.length > 0) {
    const titles = devices.map(({ name, vendor, model }) => `${vendor} ${model} (${name})`);
    const listedAt = devices.findIndex((device) => isEarlierScanner(device, earlier));
    const name = earlier !== undefined && isDeviceName(earlier) ? earlier : undefined;
    const unlisted = name !== undefined && listedAt === -1 ? [`as it is now: ${name}`] : [];
    const known = titles[listedAt] ?? unlisted[0];
    const chosen = await questions.choice({
      question: 'Which scanner?',
      choices: [...titles, ...unlisted, BY_ADDRESS, LATER_CHOICE],
      other: TYPED_ADDRESS,
      suggestion: known ?? titles[0],
      option,
    });
    if (chosen === LATER_CHOICE) return LATER;
    if (name !== undefined && chosen === known) return name;
    const device = devices[titles.indexOf(chosen)];
    if (device !== undefined) return { ...device, name: lastingName(device, devices) };
    if (chosen !== BY_ADDRESS) return chosen;
  }
  const named = earlier === 'auto' ? undefined : earlier;
  return questions.text({
    question: 'Address of the scanner, such as 192.168.1.50',
    ...(named !== undefined && { suggestion: named }),
    option,
  });
}
