/**
 * @typedef {Node | string | false | null | undefined} Child
 * @typedef {Record<string, string | number | boolean | EventListener | undefined>} Properties
 */

/**
 * A new element. Properties that are functions listen to the event of their name, `true` sets an attribute without a value, and
 * `false` and undefined leave it out. Texts become text, never markup.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Properties} [properties]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(key, value);
    else made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children.filter(isShown));
  return made;
}

/**
 * @param {Child} child
 * @returns {child is Node | string}
 */
function isShown(child) {
  return child !== false && child !== null && child !== undefined;
}

/** @type {WeakMap<Element, string>} */
const keys = new WeakMap();

/**
 * Fills an element anew where `key` differs from the last time, so that what has not changed keeps its focus and its pictures.
 * @param {Element} container
 * @param {unknown} key
 * @param {() => Child[]} children
 */
export function fill(container, key, children) {
  const text = JSON.stringify(key);
  if (keys.get(container) === text) return;
  keys.set(container, text);
  container.replaceChildren(...children().filter(isShown));
}

/**
 * The element of index.html with that id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return found;
}

/**
 * The same, of a kind that has more than every element.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function kindById(id, kind) {
  const found = byId(id);
  if (!(found instanceof kind)) throw new Error(`#${id} is no ${kind.name}`);
  return found;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Lines on a field of 24 × 24. */
const LINES = {
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  zoom: 'M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M15.5 15.5L21 21M10.5 8v5M8 10.5h5',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  warning: 'M12 4L2.8 20h18.4L12 4zM12 10v4.5M12 17.3v.2',
  paper: 'M7 3h7l4 4v14H7V3zM14 3v4h4',
  scan: 'M5 8V5h14v3M3 12h18M6 16v4h12v-4',
  send: 'M4 12h14M12 6l6 6-6 6',
  question: 'M9 9a3 3 0 1 1 4.2 2.7c-.8.4-1.2 1-1.2 1.8v.8M12 17.3v.2',
  feeder: 'M7 9V3h10v6M4 9h16v7H4zM8 16l-1 5h10l-1-5',
  both_sides: 'M4 3h9v13H4zM16 8h4v13h-9v-2M7 7h3M7 10h3',
  glass: 'M3 15h18v4H3zM5 15L19 6M8 17h2',
  receipts: 'M6 3h12v18l-2-1.5-2 1.5-2-1.5-2 1.5-2-1.5L6 21zM9 8h6M9 12h6',
  pause: 'M9 6v12M15 6v12',
};

/**
 * A decoration: what it says stands beside it as text.
 * @param {keyof typeof LINES} name
 * @returns {SVGElement}
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', LINES[name]);
  svg.append(path);
  return svg;
}
