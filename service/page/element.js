/**
 * @typedef {Node | string | false | null | undefined} Child
 * @typedef {Record<string, string | number | boolean | ((event: any) => unknown) | undefined>} Properties
 */

/**
 * Creates an element. Function properties become event listeners; `true` sets an attribute without
 * a value; `false` and undefined omit it. Strings become text, never markup.
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
 * @param {string} className
 * @param {string | undefined} label
 * @param {() => unknown} click
 */
export function button(className, label, click) {
  return element('button', { type: 'button', class: className, click }, label);
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
 * Refills an element only if `key` has changed, so that unchanged content keeps its focus and
 * images.
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
 * Throws if index.html has no such element.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return found;
}

/**
 * Like `byId`, but checks the type of the element.
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

/**
 * Shows a modal dialog, or a plain one in browsers without modal dialogs.
 * @param {HTMLDialogElement} dialog
 */
export function showDialog(dialog) {
  document.body.append(dialog);
  if ('showModal' in dialog) dialog.showModal();
  else Object(dialog).setAttribute('open', '');
}

const SVG = 'http://www.w3.org/2000/svg';

/** SVG paths in a 24 × 24 view box. */
const LINES = {
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  zoom: 'M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M15.5 15.5L21 21M10.5 8v5M8 10.5h5',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  warning: 'M12 4L2.8 20h18.4L12 4zM12 10v4.5M12 17.3v.2',
  scan: 'M5 8V5h14v3M3 12h18M6 16v4h12v-4',
  send: 'M4 12h14M12 6l6 6-6 6',
  question: 'M9 9a3 3 0 1 1 4.2 2.7c-.8.4-1.2 1-1.2 1.8v.8M12 17.3v.2',
  pause: 'M9 6v12M15 6v12',
  menu: 'M6 12v.1M12 12v.1M18 12v.1',
  sliders:
    'M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5M8 14.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5',
  feeder: 'M6 3h8l4 4v14H6zM14 3v4h4M9 11h6M9 14h6M9 17h4',
  both_sides: 'M4 3h9v13H4zM7 7h3M7 10h3M16 8h4v13h-9v-2',
  glass: 'M3 14h18v6H3zM5 14L19 5M7 17h4',
  receipts: 'M6 3h12v18l-2-1.5-2 1.5-2-1.5-2 1.5-2-1.5L6 21zM9 8h6M9 12h6',
  card: 'M3 6h18v12H3zM6 15v-.5a2.5 2.5 0 0 1 5 0v.5M8.5 9a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3M14 10h4M14 14h4',
  letter: 'M3 6h18v13H3zM3 7l9 7 9-7',
  school: 'M2 9l10-4 10 4-10 4zM6 11v5c3 3 9 3 12 0v-5M22 9v6',
  house: 'M4 11l8-7 8 7v9H4zM10 20v-6h4v6',
  health: 'M12 20C5 15 3 12 3 9a4.5 4.5 0 0 1 9-1a4.5 4.5 0 0 1 9 1c0 3-2 6-9 11zM9 12h6M12 9v6',
  money: 'M3 9l9-5 9 5zM5 9v9M10 9v9M14 9v9M19 9v9M3 20h18',
  car: 'M4 16v-4l2-6h12l2 6v4zM4 12h16M7 16v3M17 16v3',
  work: 'M3 8h18v11H3zM9 8V5h6v3M3 13h18',
  photo: 'M3 5h18v14H3zM3 17l6-6 5 5 3-3 4 4M16 8.5v.1',
  star: 'M12 3l2.7 5.8 6.3.8-4.6 4.3 1.2 6.2L12 17l-5.6 3.1 1.2-6.2L3 9.6l6.3-.8z',
};

/** The icons that a saved button can have. */
export const ICONS = /** @type {const} */ ([
  'feeder',
  'letter',
  'receipts',
  'card',
  'school',
  'house',
  'health',
  'money',
  'car',
  'work',
  'photo',
  'star',
]);

/**
 * A decorative icon, hidden from screen readers.
 * @param {keyof typeof LINES | (string & {})} name unknown names show a sheet of paper
 * @returns {SVGElement}
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', new Map(Object.entries(LINES)).get(name) ?? LINES.feeder);
  svg.append(path);
  return svg;
}
