/** A decimal megabyte, as in the service's figures. */
const MB = 1e6;

/**
 * The facts of an error for the person at the scanner, in the language of `texts`. Empty if there
 * are none.
 * @param {typeof import('./english.js').texts} texts
 * @param {import('../types.d.ts').ErrorBody} body
 */
export function factsText(texts, body) {
  const { error, fronts, backs, free_bytes: free, needed_bytes: needed, option, value } = body;
  if (fronts !== undefined && backs !== undefined) return texts.sides(fronts, backs);
  if (free !== undefined && needed !== undefined) {
    return texts.space(Math.floor(free / MB), Math.ceil(needed / MB));
  }
  if (option !== undefined) return texts.setting(option, String(value));
  const isMissing = error === 'metadata_not_found';
  if (!isMissing && error !== 'invalid_body') return '';
  return (body.fields ?? [])
    .filter((one) => one.value !== undefined)
    .map(({ field, value, near = [] }) =>
      isMissing ? texts.named(String(value), near.join(', ')) : texts.setting(field, String(value)),
    )
    .join(' ');
}
