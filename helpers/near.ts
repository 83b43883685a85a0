import { distance } from 'fastest-levenshtein';

/** Names that are offered instead of one that is not there. */
const MAX_OFFERED = 3;

/** Comparing costs the product of both lengths, and a caller may ask for anything. */
const MAX_ASKED = 200;

/** Letters that may differ, as a part of the name: with more, another word was meant. */
const LETTERS_PER_SLIP = 3;

/** Two letters that changed places. */
const SWAPPED_LETTERS = 2;

/** The names that were probably meant, nearest first, whatever the case of their letters. */
export function nearNames(asked: string, names: readonly string[]): string[] {
  const key = asked.toLowerCase().slice(0, MAX_ASKED);
  return names
    .map((name) => ({ name, letters: distance(key, name.toLowerCase()) }))
    .filter(({ name, letters }) => isNear(key, name.toLowerCase(), letters))
    .toSorted((a, b) => a.letters - b.letters)
    .slice(0, MAX_OFFERED)
    .map(({ name }) => name);
}

/** A name that holds the other one is near too, as with plurals and surnames. */
function isNear(asked: string, name: string, letters: number): boolean {
  const isLong = Math.min(asked.length, name.length) >= LETTERS_PER_SLIP;
  if (isLong && (name.includes(asked) || asked.includes(name))) return true;
  const most = Math.max(SWAPPED_LETTERS, asked.length / LETTERS_PER_SLIP);
  return letters < name.length && letters <= most;
}
