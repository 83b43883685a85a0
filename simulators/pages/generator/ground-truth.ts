const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** Elements that end a line. The sources use no others. */
const LINE_END = /<\/(?:p|h1|h2|li|tr|div|text)>|<br ?\/?>|<span style="float: ?right"\s*>/gu;

/** The text of a page: its HTML without tags, one line per block, in reading order. */
export function textOfHtml(html: string): string {
  const body = html.replaceAll(/<style>.*?<\/style>/gsu, '').replaceAll('\n', ' ');
  const lines = body
    .replaceAll(LINE_END, '\n')
    .replaceAll(/<\/t[dh]>/gu, ' ')
    .replaceAll(/<[^>]+>/gu, '')
    .replaceAll(/&\w+;/gu, (entity) => ENTITIES[entity] ?? entity)
    .split('\n')
    .map((line) => line.replaceAll(/\s+/gu, ' ').trim());
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}
