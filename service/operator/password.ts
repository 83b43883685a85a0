import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import Joi from 'joi';

export interface StoredPassword {
  readonly salt: string;
  readonly hash: string;
  readonly cost: number;
  readonly block_size: number;
  readonly parallel: number;
  /** The key that signs sessions. A new password has a new key, so that all sessions end. */
  readonly session_key: string;
}

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Recommended by OWASP. Takes 32 MB, and 0.3 s on a mini-PC. */
const COST = { cost: 2 ** 15, block_size: 8, parallel: 3 } as const;
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const KEY_BYTES = 32;

const base64 = (bytes: number): Joi.StringSchema =>
  Joi.string().base64().length(Buffer.alloc(bytes).toString('base64').length).required();

/** Only fixed sizes are valid, so that an edited file cannot use all memory. */
const schema = Joi.object<StoredPassword>({
  salt: base64(SALT_BYTES),
  hash: base64(HASH_BYTES),
  cost: Joi.number().valid(COST.cost).required(),
  block_size: Joi.number().valid(COST.block_size).required(),
  parallel: Joi.number().valid(COST.parallel).required(),
  session_key: base64(KEY_BYTES),
}).required();

/** Throws an Error whose message continues a sentence after the file name, and quotes nothing. */
export function parsePassword(text: string): StoredPassword {
  const { value, error } = schema.validate(parsed(text), { convert: false });
  if (error) throw new Error('holds no operator password');
  return value;
}

export async function storedPassword(password: string): Promise<StoredPassword> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await hashOf(password, salt);
  return {
    salt: salt.toString('base64'),
    hash: hash.toString('base64'),
    ...COST,
    session_key: randomBytes(KEY_BYTES).toString('base64'),
  };
}

/** Takes the same time for any password. */
export async function isPassword(given: string, { salt, hash }: StoredPassword): Promise<boolean> {
  const right = Buffer.from(hash, 'base64');
  return timingSafeEqual(await hashOf(given, Buffer.from(salt, 'base64')), right);
}

/** Normalized, because keyboards compose letters such as ä in different ways. */
function hashOf(password: string, salt: Buffer): Promise<Buffer> {
  const { cost, block_size, parallel } = COST;
  return derive(password.normalize('NFC'), salt, HASH_BYTES, {
    cost,
    blockSize: block_size,
    parallelization: parallel,
    maxmem: MAX_MEMORY_BYTES,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
