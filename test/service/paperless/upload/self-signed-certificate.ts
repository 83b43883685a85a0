import { generateKeyPairSync, sign } from 'node:crypto';

/** Tags of ASN.1, as far as a certificate needs them. */
const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;

/** Object identifiers, encoded: ecdsa-with-SHA256, commonName, subjectAltName, basicConstraints. */
const ECDSA_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const ALTERNATIVE_NAME = Buffer.from('0603551d11', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex');

/**
 * A fresh key and a certificate for it (RFC 5280) that is signed by itself and valid for a day, for the given IPv4
 * address: tests carry no key of their own, and need no program to make one.
 */
export function createSelfSignedCertificate({
  address = [127, 0, 0, 1],
}: { readonly address?: readonly number[] } = {}): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, 'sample dms'))));
  const algorithm = der(SEQUENCE, ECDSA_SHA256);
  const now = Date.now();
  const day = 24 * 60 * 60 * 1000;
  const extensions = der(
    SEQUENCE,
    extension(ALTERNATIVE_NAME, der(SEQUENCE, der(0x87, Buffer.from(address)))),
    extension(BASIC_CONSTRAINTS, der(SEQUENCE, der(0x01, Buffer.from([0xff])))),
  );
  const content = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    algorithm,
    name,
    der(SEQUENCE, utcTime(now - day), utcTime(now + day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', content, privateKey);
  const bits = der(BIT_STRING, Buffer.concat([Buffer.from([0]), signature]));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(der(SEQUENCE, content, algorithm, bits)),
  };
}

function extension(id: Buffer, value: Buffer): Buffer {
  return der(SEQUENCE, id, der(OCTET_STRING, value));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14);
  return der(UTC_TIME, `${digits}Z`);
}

/** Tag, length, content. */
function der(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const short = content.length < 128;
  const length = short ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
