import { errorCode, isMissing } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { whyUnusable, type OwnFiles } from '../settings/own-files.ts';
import { writeFailure } from '../storage/storage-failure.ts';
import { isPassword, parsePassword, storedPassword, type StoredPassword } from './password.ts';
import { createEndedSessions, isInTime, isSession, newSession } from './session.ts';
import { createTurns } from './turns.ts';

/** Not among the secrets, which profiles can send to a destination. */
export const OPERATOR_FILE = 'operator.json';

export interface Brake {
  readonly check: (address: string) => void;
  readonly count: (address: string) => void;
}

/** The password for changing settings. Each call reads it, because a command can change it. */
export interface Operator {
  /** `unreadable`: every password is refused. */
  readonly state: () => Promise<'none' | 'set' | 'unreadable'>;
  /**
   * Sets the first password and returns a session. Only one caller succeeds. Calls `mayClaim` last.
   * Throws Failure `set_up_closed`, `insufficient_storage` or `too_many_requests`.
   */
  readonly claim: (password: string, mayClaim: () => Promise<boolean>) => Promise<string>;
  /** Returns a new session. Throws Failure `unauthorized` or `too_many_requests`. */
  readonly logIn: (password: string, address: string) => Promise<string>;
  /**
   * Replaces the password and returns a new session. Ends all other sessions. Throws like `logIn`,
   * and `insufficient_storage`.
   */
  readonly change: (password: string, wanted: string, address: string) => Promise<string>;
  readonly isLoggedIn: (session: string) => Promise<boolean>;
  /** True if an invalid session is neither too old nor logged out: the password was changed. */
  readonly isReplaced: (session: string) => boolean;
  /** Ends this session. A restart forgets that. Never rejects. */
  readonly logOut: (session: string) => Promise<void>;
}

export interface OperatorOptions {
  readonly files: OwnFiles;
  readonly brake: Brake;
  readonly now?: () => number;
}

export function createOperator({ files, brake, now = Date.now }: OperatorOptions): Operator {
  const turns = createTurns();
  const ended = createEndedSessions();

  /** A call that will be refused does not wait, since it would take the place of another. */
  function guessInTurn<Value>(address: string, work: () => Promise<Value>): Promise<Value> {
    brake.check(address);
    return turns.waitFrom(address, work);
  }

  async function check(password: string, address: string): Promise<StoredPassword> {
    brake.check(address);
    const stored = await readStored(files);
    if (stored && (await isPassword(password, stored))) return stored;
    // Every call counts, because checking the same wrong password again keeps others waiting again.
    brake.count(address);
    throw new Failure('unauthorized', 'This is not the operator password.', {
      remedy: 'If it is lost, set a new one on the machine with "npm run operator-password".',
    });
  }

  async function claim(password: string, mayClaim: () => Promise<boolean>): Promise<string> {
    if ((await readStored(files)) || !(await mayClaim())) throw closed();
    const stored = await storedPassword(password);
    // During the slow hashing, somebody else may have set a password.
    if (!(await mayClaim())) throw closed();
    await writing(files, () => files.create(OPERATOR_FILE, textOf(stored)));
    return newSession(stored, now());
  }

  async function isLoggedIn(session: string): Promise<boolean> {
    if (session === '' || ended.has(session)) return false;
    const stored = await readStored(files);
    return stored !== undefined && isSession(session, stored, now());
  }

  async function change(password: string, wanted: string, address: string): Promise<string> {
    await check(password, address);
    const stored = await storedPassword(wanted);
    await writing(files, () => files.write(OPERATOR_FILE, textOf(stored)));
    return newSession(stored, now());
  }

  return {
    state: () => stateOf(files),
    claim: async (password, mayClaim) => {
      if (await readStored(files)) throw closed();
      return turns.wait(() => claim(password, mayClaim));
    },
    logIn: async (password, address) =>
      guessInTurn(address, async () => newSession(await check(password, address), now())),
    change: async (password, wanted, address) =>
      guessInTurn(address, () => change(password, wanted, address)),
    isLoggedIn,
    isReplaced: (session) => !ended.has(session) && isInTime(session, now()),
    logOut: async (session) => {
      if (await isLoggedIn(session).catch(() => false)) ended.add(session, now());
    },
  };
}

export async function setPassword(files: OwnFiles, password: string): Promise<void> {
  await files.write(OPERATOR_FILE, textOf(await storedPassword(password)));
}

function stateOf(files: OwnFiles): Promise<'none' | 'set' | 'unreadable'> {
  return readStored(files).then(
    (stored) => (stored ? 'set' : 'none'),
    () => 'unreadable',
  );
}

async function readStored(files: OwnFiles): Promise<StoredPassword | undefined> {
  try {
    return parsePassword(await files.read(OPERATOR_FILE));
  } catch (error) {
    if (isMissing(error)) return undefined;
    const what = `The file of the operator password ${whyUnusable(error)}.`;
    throw new Failure('unauthorized', what, {
      remedy: 'Set a new one on the machine with "npm run operator-password".',
      cause: error,
    });
  }
}

async function writing(files: OwnFiles, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw closed();
    throw writeFailure(files.root, error);
  }
}

function closed(): Failure {
  return new Failure('set_up_closed', 'This appliance is set up already.', {
    remedy:
      'Log in with the operator password. To set one, run "npm run operator-password" on the machine.',
  });
}

function textOf(stored: StoredPassword): string {
  return `${JSON.stringify(stored, null, 2)}\n`;
}
