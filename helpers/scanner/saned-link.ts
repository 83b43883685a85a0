import { readdir, readFile, readlink } from 'node:fs/promises';
import { Failure, type FailureFacts } from '../failure.ts';

/** A scanner used through another computer's saned: `net:desk:fujitsu:…`, `net:[::1]:test:0`. */
const THROUGH_SANED = /^net:(?<host>\[[^\]]+\]|[^:]+):/u;

export function sanedHost(device: string): string | undefined {
  return THROUGH_SANED.exec(device)?.groups?.['host'];
}

export function lostConnection(host: string, facts: FailureFacts): Failure {
  const what = `The saned on ${host} has ended or lost the connection.`;
  const remedy =
    'Check that computer and the network, look at the feeder, and scan the missing sheets again.';
  return new Failure('scanner_error', what, { remedy, facts });
}

/** In milliseconds. A connection that was closed normally is gone by the second check. */
const LOOK_EVERY_MS = 1000;

export interface LinkWatch {
  readonly over: () => void;
}

const NO_LINK: LinkWatch = { over: () => {} };

/**
 * Detects that the device's saned has closed scanimage's connection. SANE's `net` backend then
 * reads in an endless busy loop (1.2.1 and 1.3.1).
 */
export function watchLink(
  pid: number | undefined,
  device: string,
  onLost: (host: string) => void,
): LinkWatch {
  const host = sanedHost(device);
  if (host === undefined || pid === undefined) return NO_LINK;
  let wasLost = false;
  const look = async (): Promise<void> => {
    const lost = await isLost(pid);
    if (lost && wasLost) {
      clearInterval(timer);
      onLost(host);
    }
    wasLost = lost;
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  return { over: () => clearInterval(timer) };
}

/** Connection states in /proc/net/tcp (include/net/tcp_states.h). */
const [ESTABLISHED, CLOSE_WAIT] = ['01', '08'];

const [STATE, INODE] = [3, 9];

/** True if the process has connections, all of them closed by the other side. */
async function isLost(pid: number): Promise<boolean> {
  try {
    const [sockets, ...tables] = await Promise.all([
      socketsOf(pid),
      readFile(`/proc/${pid}/net/tcp`, 'utf8'),
      readFile(`/proc/${pid}/net/tcp6`, 'utf8').catch(() => ''),
    ]);
    const states = tables
      .flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/u)))
      .filter((columns) => sockets.has(columns[INODE] ?? ''))
      .map((columns) => columns[STATE]);
    return states.includes(CLOSE_WAIT) && !states.includes(ESTABLISHED);
  } catch {
    // The process has ended.
    return false;
  }
}

async function socketsOf(pid: number): Promise<Set<string>> {
  const directory = `/proc/${pid}/fd`;
  const links = await Promise.all(
    (await readdir(directory)).map((fd) => readlink(`${directory}/${fd}`).catch(() => '')),
  );
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/u.exec(link)?.[1] ?? []));
}
