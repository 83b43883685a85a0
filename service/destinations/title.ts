/** Paperless-ngx cuts what is longer, silently (documents/consumer.py stores `title[:127]`). */
const MAX_CODE_POINTS = 127;

/**
 * A title that Paperless-ngx stores as it is meant. It expands titles as Jinja templates: `{{ … }}` is evaluated, a
 * comment vanishes, and a lone `{%` loses the document after it was accepted. A space between the two characters of
 * each pair makes plain text of them; single braces are harmless. Undefined when nothing is left to show.
 */
export function safeTitle(title: string | undefined): string | undefined {
  const text = (title ?? '')
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/\{(?=[{%#])/g, '{ ')
    .replace(/[}%#](?=\})/g, '$& ')
    .trim();
  const cut = Array.from(text).slice(0, MAX_CODE_POINTS).join('').trimEnd();
  return cut === '' ? undefined : cut;
}
