/** True if the whole text matches. In the pattern, `…` stands for any text and `#` for a number. */
export function matchesPattern(pattern: string, text: string): boolean {
  const literal = pattern.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
  const expression = literal.replaceAll('…', '.*').replaceAll('#', String.raw`\d+`);
  return new RegExp(`^${expression}$`, 'su').test(text);
}
