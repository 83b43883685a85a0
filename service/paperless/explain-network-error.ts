import type { Judgement } from './destination.ts';
import {
  UNREADABLE_BODY,
  type NoResponse,
  type RequestTimeouts,
} from '../http-client/tracked-request.ts';

const UNREADABLE =
  'The document could not be read while it was uploaded. Check the disk of the scan directory.';

/** What an upload without an answer means: unknown as soon as anything may have been received. */
export function explainNetworkError(
  failed: NoResponse,
  name: string,
  timeouts: RequestTimeouts,
): Judgement {
  const seconds = failed.timeout && `${timeouts[failed.timeout] / 1000} s`;
  if (failed.connected) return { outcome: 'unknown', cause: explainSent(failed, name, seconds) };
  return {
    outcome: 'refused',
    cause: explainUnsent(failed, name, seconds && ` within ${seconds}`),
  };
}

/** Why no connection could be made: by the phase that took too long, or the code of Node or OpenSSL. */
export function explainUnsent(
  { code, timeout }: Pick<NoResponse, 'code' | 'timeout'>,
  name: string,
  within = '',
): string {
  const notFound = `The host name of ${name} was not found`;
  const certificate = `The TLS certificate of ${name}`;
  const trust = 'to the service with NODE_EXTRA_CA_CERTS (see deploy/paperless).';
  const problems: Readonly<Record<string, string>> = {
    [UNREADABLE_BODY]: UNREADABLE,
    lookup: `The name server did not answer${within}: ${name} cannot be looked up. Check the network and its DNS, or give the address in digits in base_url.`,
    secureConnect: `${name} set up no TLS connection${within}. Check base_url.`,
    ETIMEDOUT: `No connection to ${name} could be made${within}. Check that the host is up and that no firewall blocks it.`,
    ECONNREFUSED: `Connection refused at ${name}. Check that Paperless-ngx is running.`,
    ENOTFOUND: `${notFound} (DNS). Check base_url.`,
    EAI_AGAIN: `The name server does not answer: ${name} cannot be looked up. Check the network and its DNS, or give the address in digits in base_url.`,
    EHOSTUNREACH: `There is no route to ${name}. Check that the host is up.`,
    ENETUNREACH: `There is no route to ${name}. Check that the network is up.`,
    DEPTH_ZERO_SELF_SIGNED_CERT: `${certificate} is self-signed. Give it ${trust}`,
    SELF_SIGNED_CERT_IN_CHAIN: `${certificate} comes from a private authority. Give the certificate of that authority ${trust}`,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${certificate} is sent without the certificates between it and its authority. Add them on that server.`,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `${certificate} comes from an unknown authority. Give the certificate of that authority ${trust}`,
    CERT_HAS_EXPIRED: `${certificate} has expired. Renew it.`,
    CERT_NOT_YET_VALID: `${certificate} is not valid yet. Check the clock of this machine.`,
    ERR_TLS_CERT_ALTNAME_INVALID: `${certificate} is for another host name. Check base_url.`,
  };
  const known = problems[timeout ?? ''] ?? problems[code];
  if (known !== undefined) return known;
  if (code === 'EPROTO' || /^ERR_(SSL|TLS)_/.test(code)) {
    return `${name} does not speak TLS (${code}). Begin base_url with http:// if that is intended.`;
  }
  return `The connection to ${name} failed (${code}). Check base_url and the network.`;
}

function explainSent(
  { code, timeout, bodySent }: NoResponse,
  name: string,
  seconds: string | undefined,
): string {
  if (timeout === 'send') return `${name} read the document too slowly. Check the network.`;
  if (seconds !== undefined) {
    return bodySent
      ? `${name} received the document and did not answer within ${seconds}. Check its log.`
      : `The upload to ${name} did not move for ${seconds}. Check the network.`;
  }
  if (code === UNREADABLE_BODY) return UNREADABLE;
  if (code.startsWith('HPE_')) {
    return `${name} did not answer in HTTP (${code}). ${checkAddress(name)}`;
  }
  const never = name.startsWith('http:')
    ? ' If nothing was ever delivered there, check whether base_url must begin with https://.'
    : '';
  return bodySent
    ? `${name} received the document and closed the connection without an answer (${code}). Check its log.${never}`
    : `${name} closed the connection during the upload (${code}). Check the body limit of the reverse proxy.${never}`;
}

/** A port that expects TLS closes the connection, or answers with a TLS alert. */
export function checkAddress(name: string): string {
  return name.startsWith('http:')
    ? 'Check base_url, and whether it must begin with https://.'
    : 'Check base_url.';
}
