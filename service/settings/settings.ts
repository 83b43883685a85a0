import Joi from 'joi';

/** Settings made in the browser. The operator's environment takes precedence. */
export interface Settings {
  /** Address of destinations that name none. */
  readonly dms_url?: string;
  readonly time_zone?: string;
}

/** Keeps fields that a newer version wrote. */
const schema = Joi.object<Settings>({
  dms_url: Joi.string().uri({ scheme: ['http', 'https'] }),
  time_zone: Joi.string().max(64),
}).unknown();

/** Throws an Error whose message continues a sentence that starts with the file's name. */
export function parseSettings(text: string): Settings {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new Error('is not JSON');
  }
  const { value, error } = schema.validate(given, { convert: false });
  if (error) throw new Error(`has a mistake: ${error.message}`);
  return Object.freeze(value);
}

export function textOfSettings(settings: Settings): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}
