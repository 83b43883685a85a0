import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../helpers/error-code.ts';
import { isDeviceName, lastingName } from '../../helpers/device-names.ts';
import type { Device, DeviceDescription } from '../../helpers/ipc/messages.ts';
import { AREA_UNUSABLE } from '../../helpers/scanner-words.ts';
import type { ScannerClient } from '../../service/scanner/scanner-client.ts';
import { deviceName, findEscl } from './network-scanner.ts';
import type { Questions } from './questions.ts';
import { SetUpError } from './set-up-error.ts';

/** The scanner that was chosen; `escl` is the address of one on the network. */
export interface ChosenScanner {
  readonly device: string;
  readonly escl: string | undefined;
  /** Undefined for one that is not at hand. */
  readonly description: DeviceDescription | undefined;
}

/** A URL, a host with or without a port, or an IPv6 address. All else is the name of a device, `backend:device`. */
const ADDRESS = /^(?:https?:\/\/.*|[a-z0-9.-]+(?::\d{1,5})?|[0-9a-f:]+)$/iu;

/** An address in place of a number; a name without a dot is a mistyped choice. */
const TYPED_ADDRESS = /[.:]/u;

/** A Raspberry Pi takes several seconds. */
const STARTED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;

const BY_ADDRESS = 'a scanner on the network, by its address';
const LATER_CHOICE = 'none of these: it is not at hand, go on without it';

/** The answer for a scanner that is not at hand. */
const LATER = 'later';

export interface ScannerContext {
  readonly questions: Questions;
  readonly given: string | undefined;
  /** The device of the profile as it is. */
  readonly earlier: string | undefined;
}

/** Has a scanner chosen, and reads what it offers. Asks again until one answers, or it is left for later. */
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
      questions.say('The scanner is left for later: run the set-up again when it is there.');
      return { device: earlier ?? 'auto', escl: undefined, description: undefined };
    }
    const found = await look(scanner, asked);
    if (typeof found !== 'string') {
      questions.say(`The scanner answers: ${found.device}`);
      if (found.description?.area_unusable) {
        questions.say(`${AREA_UNUSABLE.what} ${AREA_UNUSABLE.remedy}`);
      }
      return found;
    }
    questions.say(found);
    if (!questions.canAsk)
      throw new SetUpError(
        `No scanner was set up. Give another one with --scanner, or "--scanner ${LATER}".`,
      );
  }
}

async function listed(scanner: ScannerClient, questions: Questions): Promise<readonly Device[]> {
  questions.say('Looking for scanners, which takes up to half a minute …');
  const devices = await scanner
    .listDevices(new AbortController().signal)
    .catch((error: unknown) => {
      questions.say(messageOf(error));
      return [];
    });
  // Cameras are SANE devices too.
  const found = devices.filter(({ name }) => !name.startsWith('v4l:'));
  if (found.length === 0) {
    questions.say(
      'No scanner was found. A network scanner: its display or your router shows its address. A USB scanner: switch it on,\n' +
        `check its cable, and start again (deploy/udev/README.md helps). If it is not at hand: answer "${LATER}".`,
    );
  }
  return found;
}

/** Waits for a scanner runtime that has just been started. One that does not start is reported by the next question to it. */
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

/** The name of a device that is listed, the address of a scanner, or LATER. */
async function ask(
  devices: readonly Device[],
  { questions, earlier }: Pick<ScannerContext, 'questions' | 'earlier'>,
): Promise<Device | string> {
  const option = '--scanner';
  if (devices.length > 0) {
    const titles = devices.map(({ name, vendor, model }) => `${vendor} ${model} (${name})`);
    const listedAt = devices.findIndex((device) => isEarlier(device, earlier));
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

/** Whether a listed scanner is the one of an earlier set-up, which may have named it by its address. */
function isEarlier({ name, vendor, model, type }: Device, earlier: string | undefined): boolean {
  if (earlier === undefined) return false;
  if (name === earlier) return true;
  const [, called, url = ''] = /^airscan:escl:([^:]*):(.*)$/u.exec(earlier) ?? [];
  if (called === undefined) return `${vendor} ${model}`.includes(earlier);
  return called === model && type === `ip=${URL.parse(url)?.hostname}`;
}

/** The scanner of that name or address; or why there is none. */
async function look(
  scanner: ScannerClient,
  wanted: Device | string,
): Promise<ChosenScanner | string> {
  if (typeof wanted === 'string' && !ADDRESS.test(wanted) && !isDeviceName(wanted)) {
    return `"${wanted}" is no address, such as 192.168.1.50, and no name of a device as SANE has it.`;
  }
  let device = typeof wanted === 'string' ? wanted : wanted.name;
  let escl: string | undefined;
  if (typeof wanted === 'string' && ADDRESS.test(wanted)) {
    const search = await findEscl(wanted);
    if (search.kind === 'none') {
      const reasons = search.reasons.map((reason) => `  ${reason}`).join('\n');
      return `No eSCL scanner (AirScan, Mopria) answers at ${wanted}:\n${reasons}\nCheck the address, and that the scanner is switched on.`;
    }
    escl = search.url;
    device = deviceName(escl);
  }
  try {
    const signal = new AbortController().signal;
    return { device, escl, description: await scanner.describeDevice(device, undefined, signal) };
  } catch (error) {
    return messageOf(error);
  }
}
