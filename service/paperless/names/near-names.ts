import { distance } from 'fastest-levenshtein';

/** Names that are offered instead of one that is not there. */
const MAX_OFFERED = 3;

/** Letters that may differ, as a part of the name: with more, another word was meant. */
const LETTERS_PER_SLIP = 3;

/** Two letters that changed places. */
const SWAPPED_LETTERS = 2;

/** The names that were probably meant, nearest first, whatever the case of their letters. */
export function nearNames(asked: string, names: readonly string[]): string[] {
  const key = asked.toLowerCase();
  return names
    .map((name) => ({ name, letters: lettersApart(key, name.toLowerCase()) }))
    .filter(({ name, letters }) => letters < name.length)
    .filter(({ letters }) => letters <= Math.max(SWAPPED_LETTERS, key.length / LETTERS_PER_SLIP))
    .toSorted((a, b) => a.letters - b.letters)
    .slice(0, MAX_OFFERED)
    .map(({ name }) => name);
}

/** A name that holds the other one is near, as with plurals and surnames. */
function lettersApart(asked: string, name: string): number {
  const isPart = Math.min(asked.length, name.length) >= LETTERS_PER_SLIP;
  if (isPart && (name.includes(asked) || asked.includes(name))) return 1;
  return distance(asked, name);
}
