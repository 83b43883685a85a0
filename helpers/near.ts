import { distance } from 'fastest-levenshtein';

const MAX_OFFERED = 3;

/** The cost is the product of both lengths, and callers can send any text. */
const MAX_ASKED = 200;

/** One typo per three letters. With more, a different word was meant. */
const LETTERS_PER_TYPO = 3;

const SWAPPED_LETTERS = 2;

export function nearNames(asked: string, names: readonly string[]): string[] {
  const key = asked.toLowerCase().slice(0, MAX_ASKED);
  return names
    .map((name) => ({ name, letters: distance(key, name.toLowerCase()) }))
    .filter(({ name, letters }) => isNear(key, name.toLowerCase(), letters))
    .toSorted((a, b) => a.letters - b.letters)
    .slice(0, MAX_OFFERED)
    .map(({ name }) => name);
}

/** A name that contains the other is near too, as with plurals and surnames. */
function isNear(asked: string, name: string, letters: number): boolean {
  const isLong = Math.min(asked.length, name.length) >= LETTERS_PER_TYPO;
  if (isLong && (name.includes(asked) || asked.includes(name))) return true;
  const most = Math.max(SWAPPED_LETTERS, asked.length / LETTERS_PER_TYPO);
  return letters < name.length && letters <= most;
}
