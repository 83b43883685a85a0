import Joi from 'joi';

/**
 * What may be said to a scanner driver, as rules for profiles and for requests to the scanner runtime alike: a profile that loads
 * is never refused later. All of it is one line, so that it cannot forge lines of a log.
 */
const MAX_CHARACTERS = 300;
const NO_CONTROL_CHARACTERS = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}]*$/u;

const EXPECTED = `must be one line of text without control characters, at most ${MAX_CHARACTERS} characters`;

/** The value of a source, a mode or another option, in the scanner's own spelling; not empty. */
export const optionText = Joi.string()
  .max(MAX_CHARACTERS)
  .pattern(NO_CONTROL_CHARACTERS)
  .messages({ '*': `{{#label}} ${EXPECTED}` });

/** `auto`, a SANE device name, or part of a vendor or model name. A dash in front would make it an option of scanimage. */
export const deviceName = optionText
  .pattern(/^[^-]/u)
  .messages({ '*': `{{#label}} ${EXPECTED}, and must not begin with a dash` });

/** Further SANE options by their names, without dashes in front. */
export const scannerOptions = Joi.object()
  .pattern(
    /^[a-zA-Z0-9][\w-]{0,63}$/u,
    Joi.alternatives(optionText.allow(''), Joi.number(), Joi.boolean()).messages({
      '*': `{{#label}} must be a number, true, false or text, and text ${EXPECTED}`,
    }),
  )
  .messages({
    'object.unknown':
      '{{#label}} must be the name of an option without dashes in front: letters, digits, - and _, at most 64 characters',
  });
