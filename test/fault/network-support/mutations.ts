/** What JSON, node-ipc's frames and JavaScript trip over. */
const PIECES = [
  ...'"{}[]:,\\\f\0'.split(''),
  'null',
  'true',
  '1e999',
  '-1',
  '\u00FF',
  '"id":"1"',
  '"__proto__":{"x":1},',
  '../',
  '"data":',
  '"type":"page"',
] as const;

/** One of the texts with up to three pieces put in, each now and then in place of some characters. */
export function mutate(texts: readonly string[], next: () => number): string {
  const random = (limit: number): number => Math.floor(next() * limit);
  let text = texts[random(texts.length)] ?? '';
  for (let changes = 1 + random(3); changes > 0; changes -= 1) {
    const at = random(text.length);
    const cut = random(3) === 0 ? random(10) : 0;
    text = text.slice(0, at) + (PIECES[random(PIECES.length)] ?? '') + text.slice(at + cut);
  }
  return text;
}
