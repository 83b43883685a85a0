import Joi from 'joi';
import { expecting } from '../../helpers/rules.ts';
import path from 'node:path';
import { documentTitle } from '../../helpers/processor-contract.ts';
import { titlePlaceholderError } from './title-template.ts';
import { endpointOf } from '../paperless/endpoint.ts';

/** Longest path of a scan directory root, in characters: page names and the scan id are appended to it. */
const MAX_PATH = 1000;

/** A directory on this machine, in one spelling, as it is compared and shown: `..` could lead elsewhere than it seems. */
export const outputDirectory = Joi.string()
  .max(MAX_PATH)
  .custom((value: string, helpers) => {
    const isPlain =
      path.isAbsolute(value) && !/\p{Cc}/u.test(value) && !/(?:^|\/)\.\.?(?:\/|$)/.test(value);
    return isPlain ? path.resolve(value) : helpers.error('string.base');
  })
  .messages(expecting(`an absolute path without . or .. in it, of at most ${MAX_PATH} characters`));

/** Longest address, in characters: what servers and proxies take at least (RFC 9110). */
const MAX_ADDRESS = 8000;

/** No address has these as they are, and what shows one must not take a part of it for markup. */
const UNSAFE = /[\s\p{Cc}"'<>\\^`{|}]/u;

/** The address of a system. Nothing secret is part of it, because it is shown. */
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

/** A run of characters that no word of a name has: tokens are 40 hexadecimal digits, or as random. */
const LOOKS_RANDOM = /[a-z0-9]{32}|(?=[a-z0-9]*[0-9])[a-z0-9]{20}/;

/** The name of a secret. The token itself, put here by mistake, is refused without being shown. */
export const secretName = Joi.string()
  .pattern(/^[a-z0-9_]{1,64}$/)
  .pattern(LOOKS_RANDOM, { invert: true })
  .messages(
    expecting(
      'the name of a secret, such as dms_api_token (a-z, 0-9 and _), and never the token itself',
    ),
  );

/** The template of a title; see title-template.ts. */
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

const shortText = Joi.string().trim().min(1).max(40);

/** What people call a profile. */
export const label = Joi.alternatives(
  shortText,
  Joi.object()
    .pattern(/^[a-z]{2}$/, shortText)
    .min(1)
    .max(20),
).messages(expecting('text of 1 to 40 characters, or one per language: en, de'));

export const description = Joi.string()
  .max(500)
  .allow('')
  .messages(expecting('text of at most 500 characters'));

/** The name of a picture, for a screen that has pictures. */
export const icon = Joi.string()
  .pattern(/^[a-z][a-z0-9-]{0,31}$/)
  .messages(expecting('a name of a-z, 0-9 and -, of at most 32 characters'));
