import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { explainNoAnswer } from '../../../service/destinations/no-answer.ts';
import { UPLOAD_TIMEOUTS_MS, type NoAnswer } from '../../../service/destinations/upload.ts';
import { errorOf } from './delivery-bench.ts';

const test = suite('no answer');

const NAME = 'https://paperless';

const UNSENT: readonly (readonly [Partial<NoAnswer>, string])[] = [
  [{ code: 'ECONNREFUSED' }, 'connection refused at https://paperless: is Paperless-ngx running?'],
  [{ code: 'ENOTFOUND' }, 'host name of https://paperless not found (DNS): check base_url'],
  [
    { code: 'EAI_AGAIN' },
    'host name of https://paperless not found (DNS does not answer): check base_url',
  ],
  [{ code: 'EHOSTUNREACH' }, 'no route to https://paperless: is the host up?'],
  [{ code: 'ENETUNREACH' }, 'no route to https://paperless: is the network up?'],
  [
    { code: 'ETIMEDOUT' },
    'no connection to https://paperless: is the host up, and no firewall between?',
  ],
  [
    { code: 'ETIMEDOUT', timeout: 'lookup' },
    'host name of https://paperless not found within 5 s (DNS): check base_url',
  ],
  [
    { code: 'ETIMEDOUT', timeout: 'connect' },
    'no connection to https://paperless within 5 s: is the host up, and no firewall between?',
  ],
  [
    { code: 'ETIMEDOUT', timeout: 'secureConnect' },
    'no TLS connection to https://paperless within 10 s: check base_url',
  ],
  [
    { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    'the TLS certificate of https://paperless is self-signed: give it to the service with NODE_EXTRA_CA_CERTS',
  ],
  [{ code: 'CERT_HAS_EXPIRED' }, 'the TLS certificate of https://paperless has expired'],
  [
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    'the TLS certificate of https://paperless is for another host name: check base_url',
  ],
  [
    { code: 'ERR_SSL_WRONG_VERSION_NUMBER' },
    'https://paperless does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER): should base_url begin with http://?',
  ],
  [{ code: 'EMFILE' }, 'connection to https://paperless failed (EMFILE)'],
];

for (const [facts, expected] of UNSENT) {
  test(`before a connection stands, ${facts.timeout ?? facts.code} is a refusal with its cause`, () => {
    const delivery = explain({ connected: false, ...facts });
    assert.is(delivery.outcome, 'refused');
    assert.is(errorOf(delivery), expected);
  });
}

const SENT: readonly (readonly [Partial<NoAnswer>, RegExp])[] = [
  [{ code: 'ETIMEDOUT', timeout: 'socket' }, /the upload to .* did not move for 60 s/],
  [
    { code: 'ETIMEDOUT', timeout: 'socket', bodySent: true },
    /got the document and did not answer within 60 s/,
  ],
  [{ code: 'ECONNRESET' }, /closed the connection during the upload \(ECONNRESET\)/],
  [{ code: 'ECONNRESET', bodySent: true }, /got the document and closed the connection/],
  [{ code: 'HPE_INVALID_CONSTANT' }, /did not answer in HTTP/],
  [{ code: 'ERR_UPLOAD' }, /could not be read while it was uploaded/],
];

for (const [facts, expected] of SENT) {
  const when = facts.bodySent === true ? 'after the body' : 'during the body';
  test(`${when}, ${facts.timeout ?? facts.code} leaves it unknown what became of the document`, () => {
    const delivery = explain({ connected: true, ...facts });
    assert.is(delivery.outcome, 'unknown');
    assert.match(errorOf(delivery), expected);
    assert.match(errorOf(delivery), /: whether the document was accepted is not known$/);
  });
}

function explain(facts: Partial<NoAnswer>): ReturnType<typeof explainNoAnswer> {
  const failed: NoAnswer = {
    kind: 'no_answer',
    connected: false,
    bodySent: false,
    code: 'EUNKNOWN',
    timeout: undefined,
    ...facts,
  };
  return explainNoAnswer(failed, NAME, UPLOAD_TIMEOUTS_MS);
}

test.run();
