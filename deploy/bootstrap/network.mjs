/** How apt and npm say that they could not reach anything. */
const UNREACHABLE =
  /resolving|Could not (?:resolve|connect)|connection (?:failed|timed out)|unreachable|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|E?TIMEDOUT|EHOSTUNREACH/i;

/** For glibc: a name server that answers does so within these times, and without one apt and npm would try for minutes. */
export const RESOLVER = { RES_OPTIONS: 'timeout:2 attempts:2' };

/**
 * One sentence if the output of apt or npm says that the network is missing, with its line about that; otherwise undefined.
 *
 * @param {string} output
 * @param {string} what it tried to reach
 */
export function networkProblem(output, what) {
  const line = output.split('\n').find((one) => UNREACHABLE.test(one));
  if (line === undefined) return undefined;
  return `${what} cannot be reached. Check the network of this machine, then try again. (${line.trim()})`;
}
