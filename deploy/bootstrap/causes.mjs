import { SetUpError } from './quietly.mjs';

/** Proxies of npm and apt, most specific first. npm passes its settings on as variables. */
const PROXY_VARIABLES = [
  'npm_config_https_proxy',
  'npm_config_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'http_proxy',
  'HTTP_PROXY',
];

/**
 * What apt and npm print for each cause, and what to do. The first match wins: a full disk breaks
 * everything else, and a timeout may follow from anything.
 * @type {readonly { printed: RegExp, explain: (server: string, proxy: string) => string }[]}
 */
const CAUSES = [
  {
    printed: /ENOSPC|EDQUOT|no space left on device|don't have enough free space/i,
    explain: () => 'The disk is full. Free some space ("df -h" shows where), then try again.',
  },
  {
    printed: /CERT_(?:HAS_EXPIRED|NOT_YET_VALID)|certificate (?:has expired|is not yet valid)/i,
    explain: (server) =>
      `The certificate of ${server} has expired or is not valid yet. Check the clock of this machine ("date"), then try again.`,
  },
  {
    printed:
      /SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF)|CERT_UNTRUSTED|ALTNAME_INVALID|self.signed certificate|certificate verif/i,
    explain: (server) =>
      `The certificate of ${server} is not trusted. On a network with a private authority, install its certificate ` +
      '("update-ca-certificates") and set NODE_EXTRA_CA_CERTS to its file, then try again.',
  },
  {
    printed: /\b407\b|proxy authentication/i,
    explain: (_server, proxy) =>
      `The proxy${proxy} asks for a user and a password. Set both in its address, then try again.`,
  },
  {
    printed: /\bE40[13]\b|\b40[13] (?:Unauthorized|Forbidden)/i,
    explain: (server) =>
      `${server} refuses access. Check which one is used ("npm config get registry") and its password, then try again.`,
  },
  {
    printed: /\bE404\b|ETARGET|npm.* 404 Not Found/i,
    explain: (server) =>
      `${server} does not have a package that is needed. Check which one is used ("npm config get registry"), then try again.`,
  },
  {
    printed:
      /(?:failure|happened) resolving|Could not (?:resolve '|connect)|connection (?:failed|timed out)|unreachable|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|TIMEDOUT|SOCKET_TIMEOUT|EHOSTUNREACH|ENETUNREACH|tunneling socket/i,
    explain: (server, proxy) =>
      proxy === ''
        ? `${server} cannot be reached. Check the network of this machine, then try again.`
        : `${server} cannot be reached through the proxy${proxy}. Check that address, then try again.`,
  },
];

/**
 * Throws a SetUpError if the output of apt or npm shows a known cause.
 * @param {string} output
 * @param {string} server as the start of a sentence
 * @param {NodeJS.ProcessEnv} [env]
 */
export function throwIfKnown(output, server, env = process.env) {
  const lines = output.split('\n');
  for (const { printed, explain } of CAUSES) {
    const matching = lines.filter((line) => printed.test(line));
    const line = matching.find((one) => one.includes('reason: ')) ?? matching[0];
    if (line === undefined) continue;
    throw new SetUpError(`${explain(server, usedProxy(env))} (${line.trim()})`);
  }
}

/**
 * The proxy without its password, as a clause after "proxy"; empty without a proxy.
 * @param {NodeJS.ProcessEnv} env
 */
function usedProxy(env) {
  const variable = PROXY_VARIABLES.find((name) => env[name]);
  if (variable === undefined) return '';
  const address = String(env[variable]);
  const parsed = URL.canParse(address) ? new URL(address).host : '';
  return parsed === '' ? ` in ${variable}` : ` ${parsed} (${variable})`;
}
