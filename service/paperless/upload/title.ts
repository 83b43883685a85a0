/** In code points. Paperless-ngx silently cuts longer titles (documents/consumer.py). */
export const MAX_TITLE_CHARACTERS = 127;

/**
 * Paperless-ngx expands Jinja templates in titles, and loses a document with an unclosed `{%`. A
 * space within each pair of braces prevents this. Single braces are harmless from 2.19. Undefined
 * if the title is empty.
 */
export function safeTitle(title: string | undefined): string | undefined {
  const cut = Array.from(plainText(title ?? ''))
    .slice(0, MAX_TITLE_CHARACTERS)
    .join('')
    .trimEnd();
  return cut === '' ? undefined : cut;
}

/** Such as `Invoice (2/3)`. Long titles are cut before the number. */
export function numberedTitle(title: string, number: number, count: number): string {
  const suffix = ` (${number}/${count})`;
  const room = MAX_TITLE_CHARACTERS - suffix.length;
  const characters = Array.from(title).slice(0, room);
  while (Array.from(plainText(characters.join(''))).length > room) characters.pop();
  return `${characters.join('').trimEnd()}${suffix}`;
}

function plainText(title: string): string {
  return title
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/\{(?=[{%#])/g, '{ ')
    .replace(/[}%#](?=\})/g, '$& ')
    .trim();
}
