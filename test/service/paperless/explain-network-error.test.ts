import { explainNetworkError } from '../../../service/paperless/explain-network-error.ts';
import { UPLOAD_TIMEOUTS_MS } from '../../../service/paperless/upload/upload.ts';
import { entryOf, type Delivery } from '../../../service/paperless/destination.ts';
import type { NoResponse } from '../../../service/http-client/tracked-request.ts';
import { assert, suite } from '../../support/suite.ts';
import { errorOf } from './upload/delivery-bench.ts';

const test = suite('network errors');

const NAME = 'https://paperless';

/** Before a connection stands: by its code, and by what took too long. */
const UNSENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused at https://paperless. Check that Paperless-ngx is running.',
  ENOTFOUND: 'The host name of https://paperless was not found (DNS). Check base_url.',
  EAI_AGAIN:
    'The name server does not answer: https://paperless cannot be looked up. Check the network and its DNS, or give the address in digits in base_url.',
  EHOSTUNREACH: 'There is no route to https://paperless. Check that the host is up.',
  ENETUNREACH: 'There is no route to https://paperless. Check that the network is up.',
  ETIMEDOUT:
    'No connection to https://paperless could be made. Check that the host is up and that no firewall blocks it.',
  'ETIMEDOUT lookup':
    'The name server did not answer within 5 s: https://paperless cannot be looked up. Check the network and its DNS, or give the address in digits in base_url.',
  'ETIMEDOUT connect':
    'No connection to https://paperless could be made within 5 s. Check that the host is up and that no firewall blocks it.',
  'ETIMEDOUT secureConnect':
    'https://paperless set up no TLS connection within 10 s. Check base_url.',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'The TLS certificate of https://paperless is self-signed. Give it to the service with NODE_EXTRA_CA_CERTS (see deploy/paperless).',
  CERT_HAS_EXPIRED: 'The TLS certificate of https://paperless has expired. Renew it.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The TLS certificate of https://paperless is for another host name. Check base_url.',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'https://paperless does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER). Begin base_url with http:// if that is intended.',
  ERR_UPLOAD:
    'The document could not be read while it was uploaded. Check the disk of the scan directory.',
  EMFILE: 'The connection to https://paperless failed (EMFILE). Check base_url and the network.',
};

for (const [facts, expected] of Object.entries(UNSENT)) {
  test(`before a connection stands, ${facts} is a refusal with its cause`, () => {
    const [code = '', timeout] = facts.split(' ');
    const delivery = explain({ code, timeout: timeout as NoResponse['timeout'] });
    assert.is(delivery.outcome, 'refused');
    assert.is(errorOf(delivery), expected);
  });
}

const SENT: readonly (readonly [Partial<NoResponse>, RegExp])[] = [
  [{ code: 'ETIMEDOUT', timeout: 'socket' }, /^The upload to .* did not move for 60 s\./],
  [
    { code: 'ETIMEDOUT', timeout: 'socket', bodySent: true },
    /received the document and did not answer within 60 s\./,
  ],
  [
    { code: 'ECONNRESET' },
    /closed the connection during the upload \(ECONNRESET\)\. Check the body limit/,
  ],
  [
    { code: 'ECONNRESET', bodySent: true },
    /received the document and closed the connection without an answer \(ECONNRESET\)\. Check its log\./,
  ],
  [
    { code: 'ETIMEDOUT', timeout: 'response', bodySent: true },
    /received the document and did not answer within 60 s\./,
  ],
  [{ code: 'ETIMEDOUT', timeout: 'send' }, /read the document too slowly\./],
  [{ code: 'HPE_INVALID_CONSTANT' }, /did not answer in HTTP/],
  [{ code: 'ERR_UPLOAD' }, /^The document could not be read while it was uploaded\./],
];

for (const [facts, expected] of SENT) {
  const when = facts.bodySent === true ? 'after the body' : 'during the body';
  test(`${when}, ${facts.timeout ?? facts.code} leaves it unknown what became of the document`, () => {
    const delivery = explain({ connected: true, ...facts });
    assert.is(delivery.outcome, 'unknown');
    assert.match(errorOf(delivery), expected);
    assert.match(
      errorOf(delivery),
      / The document may have been accepted: search for it before sending it again\.$/,
    );
  });
}

test('no HTTP from an http:// address may come from a port that expects TLS', () => {
  const facts = { connected: true, bodySent: true, code: 'HPE_INVALID_CONSTANT' };
  assert.match(
    errorOf(explain(facts, 'http://paperless')),
    /Check base_url, and whether it must begin with https:\/\/\./,
  );
  assert.not.match(errorOf(explain(facts)), 'must begin with');
});

function explain(facts: Partial<NoResponse>, name = NAME): Delivery {
  const failed: NoResponse = {
    kind: 'no_response',
    connected: false,
    bodySent: false,
    code: 'EUNKNOWN',
    timeout: undefined,
    ...facts,
  };
  return entryOf(explainNetworkError(failed, name, UPLOAD_TIMEOUTS_MS));
}
