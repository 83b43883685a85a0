/** Headers are read whole into memory by every client, and most refuse more than 8 KB of them. */
const MAX_WARNINGS = 20;
const MAX_WARNING_CHARACTERS = 200;

/** Warnings as the value of a header: a JSON array in ASCII, of bounded length. */
export function warningsHeader(warnings: readonly string[]): string {
  const kept = warnings.slice(0, MAX_WARNINGS).map((text) => text.slice(0, MAX_WARNING_CHARACTERS));
  const left = warnings.length - kept.length;
  const all = left > 0 ? [...kept, `${left} more warnings`] : kept;
  return JSON.stringify(all).replaceAll(/[^\x20-\x7E]/gu, escapeUnits);
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
