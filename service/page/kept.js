/**
 * The values read or kept so far. Also used if storage is blocked.
 * @type {Map<string, unknown>}
 */
const values = new Map();

/**
 * A value that this browser keeps. Undefined if there is none.
 * @param {string} key
 * @returns {any}
 */
export function kept(key) {
  if (!values.has(key)) {
    let value;
    try {
      value = JSON.parse(localStorage.getItem(key) ?? 'null');
    } catch {
      /* Storage is blocked, or the value is damaged. */
    }
    values.set(key, value ?? undefined);
  }
  return values.get(key);
}

/**
 * @param {string} key
 * @param {unknown} value
 */
export function keep(key, value) {
  values.set(key, value);
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    /* Storage is blocked or full. */
  }
}
