import { byId } from '../element.js';

/** Between two announcements: a screen reader should be able to finish the one before. In milliseconds. */
const PAUSE_MS = 3000;

/**
 * Says things to screen readers, through one region that is always there: each text once, not too often, and the last one in any
 * case.
 * @returns {(text: string) => void}
 */
export function createAnnouncer() {
  const region = byId('status');
  let next = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  function say() {
    timer = undefined;
    if (region.textContent === next) return;
    region.textContent = next;
    timer = setTimeout(say, PAUSE_MS);
  }

  return (text) => {
    next = text;
    if (timer === undefined) say();
  };
}
