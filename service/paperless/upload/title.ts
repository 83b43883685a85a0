/** Paperless-ngx cuts off what is longer, silently (documents/consumer.py stores `title[:127]`), in code points. */
export const MAX_TITLE_CHARACTERS = 127;

/**
 * A title that Paperless-ngx stores as it is meant. It expands titles as Jinja templates: `{{ … }}` is evaluated, a
 * comment vanishes, and a lone `{%` loses the document after it was accepted. A space between the two characters of
 * each pair makes plain text of them; single braces are harmless from 2.19 on. Undefined when nothing is left to show.
 */
export function safeTitle(title: string | undefined): string | undefined {
  const cut = Array.from(plainText(title ?? ''))
    .slice(0, MAX_TITLE_CHARACTERS)
    .join('')
    .trimEnd();
  return cut === '' ? undefined : cut;
}

/**
 * The title of one of several documents of a scan: `Invoice (2/3)`. The title is shortened so that Paperless-ngx does not cut
 * off the number, which would give several documents one title.
 */
export function numberedTitle(title: string, number: number, count: number): string {
  const suffix = ` (${number}/${count})`;
  const room = MAX_TITLE_CHARACTERS - suffix.length;
  const characters = Array.from(title).slice(0, room);
  // Making a title safe may lengthen it.
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
