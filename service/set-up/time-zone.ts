/**
 * The name of a time zone as TZ needs it. Undefined if there is none. Unlike Intl, TZ needs the right
 * case, and knows no offsets: with `europe/berlin` or `+01:00`, Node would show UTC.
 */
export function timeZoneOf(given: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions();
    if (/^[+-]/u.test(timeZone)) return undefined;
    // Other names of a zone stay: Asia/Kolkata.
    return /^[A-Z].*[a-z]/u.test(given) && !isSame(given, timeZone) ? given : timeZone;
  } catch {
    return undefined;
  }
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
