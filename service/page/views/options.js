import { element } from '../element.js';
import { later } from '../texts/later.js';
import { createTagChooser } from './tags.js';

const MAX_TITLE = 127;

/**
 * The fields for the next scan.
 * @param {HTMLElement} container
 * @returns {{ load: (profile: string) => Promise<void>, take: () => Record<string, unknown> | undefined }} `take` gives what goes into
 *   the request, and empties the fields; undefined where a tag was typed that there is not, which it says
 */
export function createFields(container) {
  const title = element('input', { id: 'title', maxlength: MAX_TITLE, autocomplete: 'off' });
  const tagField = element('div', { class: 'field', hidden: true });
  const tags = createTagChooser(tagField);
  container.append(
    element(
      'div',
      { class: 'field' },
      element('label', { for: 'title' }, later.optionTitle),
      title,
    ),
    tagField,
  );
  return {
    load: tags.load,
    take: () => {
      const chosen = tags.take();
      if (!chosen) return undefined;
      const fields = {
        ...(title.value.trim() !== '' && { title: title.value.trim() }),
        ...(chosen.length > 0 && { tags: chosen.map(({ id }) => id) }),
      };
      title.value = '';
      return fields;
    },
  };
}
