import { element, fill } from '../../element.js';
import { explain, texts } from '../../texts/texts.js';
import { ask, isGood, problemText } from '../calls.js';
import { alertLine, choiceCard, forgetDrafts, notice, textField } from '../fields.js';
import { kindsText, plainName, words } from '../texts.js';

/**
 * @typedef {import('../types.d.ts').FoundScanner} FoundScanner
 * @typedef {import('../types.d.ts').Answers['scanner']} Known
 */

/** The choice "another scanner", whose address is typed. */
const TYPED = '';

/**
 * Starts the search as soon as the step is shown.
 * @param {import('../types.d.ts').AnswersBody} body
 * @returns {import('../screen.js').StepView}
 */
export function scannerView({ answers: { scanner: known } }) {
  const choice = createChoice(known);
  const { address, problem } = choice;

  async function submit() {
    const scanner = choice.value();
    if (scanner === '') return address.fail(words.addressMissing);
    if (scanner === known?.device) return true;
    problem.textContent = '';
    const answer = await ask('POST', 'set-up/scanner', { scanner });
    if (isGood(answer)) {
      forgetDrafts(address.input.id);
      return true;
    }
    if (address.row.hidden === false) return address.fail(problemText(answer));
    problem.textContent = problemText(answer);
    return false;
  }

  return {
    title: words.steps.scanner,
    lead: words.scannerLead,
    content: [choice.current, ...createSearch(choice)],
    submit,
  };
}

/** @typedef {ReturnType<typeof createChoice>} Choice */

/**
 * The scanners that were found, and a field for another one.
 * @param {Known} known
 */
function createChoice(known) {
  const list = element('div', { class: 'choices', role: 'group', 'aria-label': words.found });
  const problem = alertLine();
  const address = textField({
    id: 'scanner-address',
    label: words.scannerAddress,
    hint: words.scannerAddressHint,
    input: { inputmode: 'url', autocomplete: 'off', maxlength: 500 },
  });
  address.row.hidden = true;
  const current = element('div', {}, ...currentNotice(known, ''));
  let chosen = known?.device ?? TYPED;

  /** @param {string} device */
  function choose(device) {
    chosen = device;
    problem.textContent = '';
    address.row.hidden = device !== TYPED;
  }

  /** @param {FoundScanner[]} scanners */
  function show(scanners) {
    const listed = listedScanners(scanners, known);
    current.replaceChildren(...currentNotice(known, problemOf(scanners, known)));
    const devices = listed.map(({ device }) => device);
    const first = scanners.find((one) => one.problem === null) ?? scanners[0];
    /* Does not interrupt a person who is typing an address. */
    const isTyping = document.activeElement === address.input || address.value() !== '';
    if (isTyping || devices.includes(chosen)) choose(chosen);
    else choose(first?.name ?? TYPED);
    const entries = [...listed, { device: TYPED, text: words.otherScanner, hint: '', tone: '' }];
    fill(list, listed, () =>
      entries.map(({ device, ...texts }, index) =>
        choiceCard({
          ...texts,
          type: 'radio',
          name: 'scanner',
          id: `scanner-${index}`,
          isChosen: device === chosen,
          onChange: () => choose(device),
        }),
      ),
    );
    list.hidden = listed.length === 0;
  }

  return {
    current,
    list,
    address,
    problem,
    show,
    type: () => {
      choose(TYPED);
      address.input.focus();
    },
    value: () => (chosen === TYPED ? address.value() : chosen),
  };
}

/**
 * The search, with its progress.
 * @param {Choice} choice
 */
function createSearch({ list, address, problem, show, type: startTyping }) {
  const said = element('div', { role: 'status' });
  const again = textButton(words.lookAgain, () => void look(true));
  /* Lets a person type an address without waiting for the search. */
  const type = textButton(words.otherScanner, startTyping);

  /** @param {boolean} isRefreshed */
  async function look(isRefreshed) {
    again.hidden = true;
    type.hidden = isRefreshed;
    const bar = element('progress', { 'aria-label': words.searching });
    said.replaceChildren(element('p', {}, words.searching), bar);
    const answer = await ask('GET', `set-up/scanners?refresh=${isRefreshed}`);
    again.hidden = false;
    type.hidden = true;
    /** @type {FoundScanner[]} */
    const scanners = isGood(answer) ? answer.body.scanners : [];
    const text = isGood(answer) ? words.noneFound : problemText(answer);
    said.replaceChildren(...(scanners.length === 0 ? [notice('wait', text)] : []));
    show(scanners);
  }

  void look(false);
  return [said, list, address.row, problem, type, again];
}

/**
 * @param {string} text
 * @param {() => void} click
 */
function textButton(text, click) {
  return element('button', { type: 'button', class: 'text', click }, text);
}

/**
 * The scanners that were found. If the earlier choice is missing, it comes first.
 * @param {FoundScanner[]} scanners
 * @param {Known} known
 */
function listedScanners(scanners, known) {
  const listed = scanners.map((one) => ({
    device: known && isKnown(one.name, known) ? known.device : one.name,
    text: nameOf(one),
    hint: abilitiesOf(one),
    tone: one.problem ? 'wait' : '',
  }));
  if (!known || listed.some(({ device }) => device === known.device)) return listed;
  return [
    { device: known.device, text: plainName(known.name), hint: words.chosen, tone: '' },
    ...listed,
  ];
}

/**
 * The scanner chosen before, and why it cannot be used now.
 * @param {Known} known
 * @param {string} problem
 */
function currentNotice(known, problem) {
  if (!known) return [];
  const text = words.scannerIs(plainName(known.name), kindsText(known.kinds));
  if (problem === '') return [notice('good', text)];
  return [notice('wait', element('p', {}, text), element('p', {}, problem))];
}

/**
 * @param {FoundScanner[]} scanners
 * @param {Known} known
 */
function problemOf(scanners, known) {
  const found = known && scanners.find(({ name }) => isKnown(name, known));
  return found?.problem ? abilitiesOf(found) : '';
}

/** @param {FoundScanner} scanner */
function nameOf({ name, vendor, model }) {
  return plainName([vendor, model].filter(Boolean).join(' ') || name);
}

/**
 * True if a scanner in the list is the one chosen before, which SANE may number otherwise now.
 * @param {string} name
 * @param {{ device: string }} known
 */
function isKnown(name, { device }) {
  return name === device || name.endsWith(`:${device}`);
}

/** @param {FoundScanner} scanner */
function abilitiesOf({ problem, choices = [] }) {
  if (problem?.error === 'no_scanner_detected') return words.scannerSilent;
  if (problem) return explain(problem.error)?.[0] ?? texts.unknownError;
  const finest = Math.max(...choices.flatMap(({ resolutions }) => resolutions));
  const hasColour = choices.some(({ modes }) => modes.some(({ kind }) => kind === 'color'));
  return [
    kindsText(choices.map(({ kind }) => kind)),
    hasColour && texts.words['color'],
    finest > 0 && words.upTo(finest),
  ]
    .filter(Boolean)
    .join(' · ');
}
