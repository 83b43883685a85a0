import { refused, unknown, type Delivery } from './destination.ts';
import type { NoAnswer, UploadTimeouts } from './upload.ts';

/** What to do about a certificate that Node does not trust, by OpenSSL's and Node's codes. */
const CERTIFICATE_TROUBLE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed: give it to the service with NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN:
    'comes from an authority of your own: give its certificate to the service with NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'is sent without the certificates between it and its authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'comes from an unknown authority: give its certificate to the service with NODE_EXTRA_CA_CERTS',
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet: check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host name: check base_url',
};

const NETWORK_TROUBLE: Readonly<Record<string, (name: string) => string>> = {
  ECONNREFUSED: (name) => `connection refused at ${name}: is Paperless-ngx running?`,
  ENOTFOUND: (name) => `host name of ${name} not found (DNS): check base_url`,
  EAI_AGAIN: (name) => `host name of ${name} not found (DNS does not answer): check base_url`,
  EHOSTUNREACH: (name) => `no route to ${name}: is the host up?`,
  ENETUNREACH: (name) => `no route to ${name}: is the network up?`,
  ETIMEDOUT: (name) => `no connection to ${name}: is the host up, and no firewall between?`,
};

/** What an upload without an answer means: unknown as soon as anything may have been received. */
export function explainNoAnswer(
  failed: NoAnswer,
  name: string,
  timeouts: UploadTimeouts,
): Delivery {
  if (failed.connected) return unknown(describeSent(failed, name, timeouts));
  return refused(describeUnsent(failed, name, timeouts));
}

function describeUnsent(
  { code, timeout }: NoAnswer,
  name: string,
  timeouts: UploadTimeouts,
): string {
  if (timeout === 'lookup') {
    return `host name of ${name} not found within ${seconds(timeouts.lookup)} (DNS): check base_url`;
  }
  if (timeout === 'secureConnect') {
    return `no TLS connection to ${name} within ${seconds(timeouts.secureConnect)}: check base_url`;
  }
  if (timeout !== undefined) {
    const limit = seconds(timeouts[timeout]);
    return `no connection to ${name} within ${limit}: is the host up, and no firewall between?`;
  }
  const certificate = CERTIFICATE_TROUBLE[code];
  if (certificate !== undefined) return `the TLS certificate of ${name} ${certificate}`;
  if (code === 'EPROTO' || /^ERR_(SSL|TLS)_/.test(code)) {
    return `${name} does not speak TLS (${code}): should base_url begin with http://?`;
  }
  return NETWORK_TROUBLE[code]?.(name) ?? `connection to ${name} failed (${code})`;
}

function describeSent(
  { code, timeout, bodySent }: NoAnswer,
  name: string,
  timeouts: UploadTimeouts,
): string {
  if (timeout !== undefined && bodySent) {
    return `${name} got the document and did not answer within ${seconds(timeouts[timeout])}`;
  }
  if (timeout !== undefined) {
    return `the upload to ${name} did not move for ${seconds(timeouts[timeout])}`;
  }
  if (code.startsWith('HPE_')) return `${name} did not answer in HTTP (${code}), check base_url`;
  if (code === 'ERR_UPLOAD') return 'the document could not be read while it was uploaded';
  if (bodySent) return `${name} got the document and closed the connection without an answer`;
  return `${name} closed the connection during the upload (${code}), is the document too large for a reverse proxy?`;
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
