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
 * Shows what was done until the next action. Without a text, clears it.
 * @param {string} [text]
 * @param {string} [label] of a button
 * @param {() => unknown} [press]
 */
export function showNotice(text, label, press) {
  fill(byId('notice'), [text, Date.now()], () => [text, press && button('text', label, press)]);
}
