import { button, byId, fill } from '../element.js';

/**
 * Moves the focus to a button, or to the title if that was removed.
 * @param {string | undefined} profile
 */
export function bringIntoView(profile) {
  const card = document.getElementById(`profile-${profile}`)?.closest('button');
  card?.scrollIntoView({ block: 'center' });
  (card ?? byId('start-title')).focus({ preventScroll: true });
}

/**
 * Says what was done, until something else is done. Without a text, says nothing.
 * @param {string} [text]
 * @param {string} [label] of a button
 * @param {() => unknown} [press]
 */
export function showNotice(text, label, press) {
  fill(byId('notice'), [text, Date.now()], () => [text, press && button('text', label, press)]);
}
