/** True if the whole text matches the pattern, in which `…` is any text and `#` a number. */
export function matchesPattern(pattern: string, text: string): boolean {
  const literal = pattern.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
  const expression = literal.replaceAll('…', '.*').replaceAll('#', String.raw`\d+`);
  return new RegExp(`^${expression}$`, 'su').test(text);
}
