/** How Python, Django and its REST framework parse texts, which is both more and less strict than JavaScript. */

/** Python's `int(text)`: accepts signs, surrounding spaces, leading zeros and single underscores. Undefined for other texts. */
export function pythonInteger(text: string): number | undefined {
  return /^\s*[-+]?\d+(_\d+)*\s*$/.test(text) ? Number(text.replaceAll('_', '')) : undefined;
}

const DAY = /^(\d{4})(-?)(\d{2})\2(\d{2})(?:.(.+))?$/s;
const ZONE = String.raw`(?<zone>Z|[-+]\d{2}(?::?\d{2}(?::?\d{2})?)?)?`;
const TIMES = [
  new RegExp(
    String.raw`^(?<hour>\d{1,2}):(?<minute>\d{2})(:(?<second>\d{2})([.,]\d+)?)?\s*${ZONE}$`,
  ),
  new RegExp(String.raw`^(?<hour>\d{2})((?<minute>\d{2})((?<second>\d{2})([.,]\d+)?)?)?${ZONE}$`),
];

export type ReadDate =
  { readonly kind: 'day'; readonly day: string } | { readonly kind: 'malformed' | 'out_of_range' };

const MALFORMED: ReadDate = { kind: 'malformed' };

/**
 * Converts a date, or a date and time, to a day (`YYYY-MM-DD`) in the server's time zone, which is UTC here. Week dates, which the
 * real system accepts too, are not supported.
 */
export function readDateTime(text: string): ReadDate {
  const [, year, , month, dayOfMonth, time = '00:00'] = DAY.exec(text) ?? [];
  const midnight = midnightOf(`${year}-${month}-${dayOfMonth}`);
  const parts = TIMES.map((pattern) => pattern.exec(time)?.groups).find((groups) => groups);
  if (midnight === undefined || parts === undefined) return MALFORMED;
  const { hour = 0, minute = 0, second = 0, zone } = parts;
  const offset = offsetSeconds(zone);
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || offset === undefined) {
    return MALFORMED;
  }
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset;
  const day = new Date(midnight + seconds * 1000).toISOString().slice(0, 10);
  return /^(?!0000)\d{4}-/.test(day) ? { kind: 'day', day } : { kind: 'out_of_range' };
}

/** Whether DRF's `DateField` accepts the text. */
export function isPythonDate(text: string): boolean {
  const [, year, month, day] =
    /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text) ?? /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  return midnightOf(`${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`) !== undefined;
}

/** Milliseconds since 1970. Undefined for a date that does not exist. */
function midnightOf(day: string): number | undefined {
  const time = Date.parse(`${day}T00:00:00Z`);
  // 31 February becomes a day of March, and the year 0 does not exist in Python.
  const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
  return exists && !day.startsWith('0000') ? time : undefined;
}

function offsetSeconds(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z') return 0;
  const [hours = 0, minutes = 0, seconds = 0] = (zone.match(/\d{2}/g) ?? []).map(Number);
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}
