import { once } from 'node:events';
import { connect } from 'node:net';
import { errorCode } from '../error-code.ts';
import { Failure } from '../failure.ts';
import { sanedHost } from './saned-link.ts';

/** `sane-port` in /etc/services. SANE's client supports no other port. */
const SANED_PORT = 6566;

/** saned accepts within milliseconds. */
const ANSWER_MS = 2000;

const START =
  'Start it there, for example with systemctl enable --now saned.socket, and list this computer in its saned.conf.';

/**
 * Connects to saned to explain the failure. Returns it unchanged if saned accepts, since the
 * scanner itself is then at fault, and for scanners without saned.
 */
export async function explainWithSaned(
  failure: Failure,
  device: string,
  signal: AbortSignal,
): Promise<Failure> {
  const host = sanedHost(device);
  if (failure.code !== 'no_scanner_detected' || host === undefined) return failure;
  const code = await connectionError(host.replaceAll(/[[\]]/gu, ''), signal);
  if (code === undefined) return failure;
  const [what, remedy] =
    code === 'ECONNREFUSED'
      ? [`No saned answers on ${host} (${code}).`, START]
      : [
          `The computer ${host}, which has the scanner, cannot be reached (${code}).`,
          'Switch it on, and check its name or address and the network.',
        ];
  return new Failure(failure.code, what, { remedy, facts: failure.facts, cause: failure });
}

/** Undefined if saned accepts. */
async function connectionError(host: string, signal: AbortSignal): Promise<string | undefined> {
  const late = AbortSignal.timeout(ANSWER_MS);
  const socket = connect({ host, port: SANED_PORT });
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, late]) });
    return undefined;
  } catch (error) {
    if (late.aborted) return 'ETIMEDOUT';
    return signal.aborted ? undefined : errorCode(error);
  } finally {
    socket.destroy();
  }
}
