/** What takes the place of a token. */
const REPLACEMENT = '[token]';

/**
 * Returns a function that takes a token out of a text, in every spelling that an answer may have of it: as it is, or with any
 * of its characters escaped for JSON, a URL or HTML. A text that is decoded afterwards needs it again.
 */
export function createRedactor(token: string): (text: string) => string {
  const spellings = new RegExp(Array.from(token, spellingsOf).join(''), 'gi');
  return (text) => text.replaceAll(spellings, REPLACEMENT);
}

/** A pattern for one character of a token, which is visible ASCII. */
function spellingsOf(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  const literal = `\\x${hex}`;
  const escapes = [`\\\\u00${hex}`, `%${hex}`, `&#x0*${hex};`, `&#0*${code};`];
  return `(?:\\\\?${literal}|${escapes.join('|')})`;
}
