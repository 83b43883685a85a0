import { refused, unknown, type Delivery } from './destination.ts';
import type { NoResponse, UploadTimeouts } from './upload.ts';

const TRUST = 'to the service with NODE_EXTRA_CA_CERTS (see deploy/paperless)';

/** What is wrong with a certificate that Node does not trust, by OpenSSL's and Node's codes. */
const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `is self-signed. Give it ${TRUST}`,
  SELF_SIGNED_CERT_IN_CHAIN: `comes from a private authority. Give the certificate of that authority ${TRUST}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'is sent without the certificates between it and its authority. Add them on that server',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `comes from an unknown authority. Give the certificate of that authority ${TRUST}`,
  CERT_HAS_EXPIRED: 'has expired. Renew it',
  CERT_NOT_YET_VALID: 'is not valid yet. Check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host name. Check base_url',
};

const NETWORK_PROBLEMS: Readonly<Record<string, (name: string) => string>> = {
  ECONNREFUSED: (name) => `Connection refused at ${name}. Check that Paperless-ngx is running.`,
  ENOTFOUND: (name) => `The host name of ${name} was not found (DNS). Check base_url.`,
  EAI_AGAIN: (name) =>
    `The host name of ${name} was not found because DNS does not answer. Check base_url and the network.`,
  EHOSTUNREACH: (name) => `There is no route to ${name}. Check that the host is up.`,
  ENETUNREACH: (name) => `There is no route to ${name}. Check that the network is up.`,
  ETIMEDOUT: (name) =>
    `No connection to ${name} could be made. Check that the host is up and that no firewall blocks it.`,
};

/** What an upload without an answer means: unknown as soon as anything may have been received. */
export function explainNetworkError(
  failed: NoResponse,
  name: string,
  timeouts: UploadTimeouts,
): Delivery {
  if (failed.connected) return unknown(explainSent(failed, name, timeouts));
  return refused(explainUnsent(failed, name, timeouts));
}

function explainUnsent(
  { code, timeout }: NoResponse,
  name: string,
  timeouts: UploadTimeouts,
): string {
  if (timeout === 'lookup') {
    return `The host name of ${name} was not found within ${seconds(timeouts.lookup)} (DNS). Check base_url.`;
  }
  if (timeout === 'secureConnect') {
    return `${name} set up no TLS connection within ${seconds(timeouts.secureConnect)}. Check base_url.`;
  }
  if (timeout !== undefined) {
    const limit = seconds(timeouts[timeout]);
    return `No connection to ${name} could be made within ${limit}. Check that the host is up and that no firewall blocks it.`;
  }
  const certificate = CERTIFICATE_PROBLEMS[code];
  if (certificate !== undefined) return `The TLS certificate of ${name} ${certificate}.`;
  if (code === 'EPROTO' || /^ERR_(SSL|TLS)_/.test(code)) {
    return `${name} does not speak TLS (${code}). Begin base_url with http:// if that is intended.`;
  }
  const known = NETWORK_PROBLEMS[code]?.(name);
  return known ?? `The connection to ${name} failed (${code}). Check base_url and the network.`;
}

function explainSent(
  { code, timeout, bodySent }: NoResponse,
  name: string,
  timeouts: UploadTimeouts,
): string {
  // A port that expects TLS closes the connection, or answers with a TLS alert.
  const tls = name.startsWith('http:') ? ', and whether it must begin with https://' : '';
  if (timeout === 'send') return `${name} read the document too slowly. Check the network.`;
  if (timeout !== undefined) {
    const limit = seconds(timeouts[timeout]);
    return bodySent
      ? `${name} received the document and did not answer within ${limit}. Check its log.`
      : `The upload to ${name} did not move for ${limit}. Check the network.`;
  }
  if (code.startsWith('HPE_')) {
    return `${name} did not answer in HTTP (${code}). Check base_url${tls}.`;
  }
  if (code === 'ERR_UPLOAD') {
    return 'The document could not be read while it was uploaded. Check the disk of the scan directory.';
  }
  const tooLarge = bodySent ? '' : ' Check the body limit of the reverse proxy.';
  const moment = bodySent ? 'without an answer' : 'during the upload';
  return `${name} closed the connection ${moment} (${code}).${tooLarge} Check base_url${tls}.`;
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
