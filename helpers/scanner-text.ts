import Joi from 'joi';

/**
 * Texts for a scanner driver. Profiles and the scanner runtime share these rules, so that a profile
 * that loads is never rejected later. One line, so that no text can forge log lines.
 */
const MAX_CHARACTERS = 300;
const NO_CONTROL_CHARACTERS = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}]*$/u;

const EXPECTED = `must be one line of text without control characters, at most ${MAX_CHARACTERS} characters`;

export const optionText = Joi.string()
  .max(MAX_CHARACTERS)
  .pattern(NO_CONTROL_CHARACTERS)
  .messages({ '*': `{{#label}} ${EXPECTED}` });

/** scanimage would take a leading dash for an option. */
export const deviceName = optionText
  .pattern(/^[^-]/u)
  .messages({ '*': `{{#label}} ${EXPECTED}, and must not begin with a dash` });

/** Further SANE options by name, without dashes. */
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
