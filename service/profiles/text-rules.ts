import Joi from 'joi';
import { expecting } from '../../helpers/rules.ts';
import path from 'node:path';
import { documentTitle } from '../../helpers/processor-contract.ts';
import { titlePlaceholderError } from './title-template.ts';
import { endpointOf } from '../paperless/endpoint.ts';

/** In characters. Leaves room for the scan id and file names. */
const MAX_PATH = 1000;

/** Rejects `..`, which may not lead where it seems to. */
export const outputDirectory = Joi.string()
  .max(MAX_PATH)
  .custom((value: string, helpers) => {
    const isPlain =
      path.isAbsolute(value) && !/\p{Cc}/u.test(value) && !/(?:^|\/)\.\.?(?:\/|$)/.test(value);
    return isPlain ? path.resolve(value) : helpers.error('string.base');
  })
  .messages(expecting(`an absolute path without . or .. in it, of at most ${MAX_PATH} characters`));

/** In characters. Servers should accept this many (RFC 9110). */
const MAX_ADDRESS = 8000;

/** Characters that are invalid in an address, and dangerous in HTML. */
const UNSAFE = /[\s\p{Cc}"'<>\\^`{|}]/u;

/** People see this address, so it must not contain a secret. */
export const plainAddress = Joi.string()
  .max(MAX_ADDRESS)
  .custom((value: string, helpers) => {
    const url = UNSAFE.test(value) ? null : URL.parse(value);
    if (url === null || !/^https?:$/.test(url.protocol)) return helpers.error('string.base');
    const isPlain = endpointOf(value) !== undefined && url.hash === '';
    return isPlain ? value : helpers.error('address.secret');
  })
  .messages({
    '*': '{{#label}} must be an http:// or https:// address, such as http://paperless:8000',
    'address.secret':
      '{{#label}} must have no user name, password, query or fragment: put the token into a secret, and name it in token_secret',
  });

/** Tokens look like this: 40 hexadecimal digits, or similarly random. Names hardly do. */
const LOOKS_RANDOM = /[a-z0-9]{32}|(?=[a-z0-9]*[0-9])[a-z0-9]{20}/;

/** Rejects a token entered instead of a name, without showing it. */
export const secretName = Joi.string()
  .pattern(/^[a-z0-9_]{1,64}$/)
  .pattern(LOOKS_RANDOM, { invert: true })
  .messages(
    expecting(
      'the name of a secret, such as dms_api_token (a-z, 0-9 and _), and never the token itself',
    ),
  );

export const titleTemplate = documentTitle
  .invalid('')
  .max(200)
  .custom((template: string, helpers) => {
    const problem = titlePlaceholderError(template);
    return problem === undefined ? template : helpers.error('title.placeholder', { problem });
  })
  .messages({
    ...expecting('text of 1 to 200 characters'),
    'title.placeholder': '{{#label}} {{#problem}}',
  });

/** Requires a visible character. Rejects line ends, tabs and halves of surrogate pairs. */
const shortText = Joi.string()
  .trim()
  .min(1)
  .max(40)
  .pattern(/^[^\p{Cc}\p{Cs}]+$/u)
  .pattern(/[^\p{C}\p{Z}]/u);

export const label = Joi.alternatives(
  shortText,
  Joi.object()
    .pattern(/^[a-z]{2}$/, shortText)
    .min(1)
    .max(20),
).messages(expecting('one line of text of 1 to 40 characters, or one per language: en, de'));

export const description = Joi.string()
  .max(500)
  .allow('')
  .messages(expecting('text of at most 500 characters'));

export const icon = Joi.string()
  .pattern(/^[a-z][a-z0-9-]{0,31}$/)
  .messages(expecting('a name of a-z, 0-9 and -, of at most 32 characters'));
