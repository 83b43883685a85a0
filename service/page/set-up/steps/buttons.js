import { element } from '../../element.js';
import { texts } from '../../texts/texts.js';
import { inOrder, labelOf } from '../../views/start.js';
import { ask, isGood, problemText } from '../calls.js';
import { alertLine, choiceCard, notice } from '../fields.js';
import { words } from '../texts.js';

/** The button that cannot be hidden, so that at least one remains. */
const ALWAYS = 'default';

/**
 * @param {import('../types.d.ts').AnswersBody} body
 * @returns {import('../screen.js').StepView}
 */
export function buttonsView({ answers: { buttons }, fixed }) {
  const offered = inOrder(buttons.filter(({ fits }) => fits !== false));
  const isUnfit = (/** @type {typeof buttons[number]} */ { fits }) => fits === false;
  const first = buttons.find((one) => one.name === ALWAYS && isUnfit(one));
  const others = buttons.filter((one) => one !== first && isUnfit(one));
  const hidden = new Set(buttons.filter(({ shown }) => !shown).map(({ name }) => name));
  const problem = alertLine();
  const cards = offered.map((button) =>
    choiceCard({
      type: 'checkbox',
      name: 'button',
      id: `button-${button.name}`,
      text: labelOf(button),
      hint: button.name === ALWAYS ? words.alwaysShown : texts.kinds[button.kind],
      isChosen: !hidden.has(button.name),
      isFixed: button.name === ALWAYS,
      onChange: (isChosen) => {
        if (isChosen) hidden.delete(button.name);
        else hidden.add(button.name);
      },
    }),
  );
  return {
    title: words.steps.buttons,
    lead: words.buttonsLead,
    content: [
      element(
        'div',
        { class: 'choices', role: 'group', 'aria-label': words.steps.buttons },
        ...cards,
      ),
      first && unfitDefault(labelOf(first)),
      others.length > 0 &&
        element('p', { class: 'facts' }, words.unfit(others.map(labelOf).join(', '))),
      fixed.profiles.length > 0 && notice('wait', words.ownProfiles(fixed.profiles.join(', '))),
      problem,
    ],
    submit: async () => {
      problem.textContent = '';
      const answer = await ask('PUT', 'set-up/buttons', { hidden: [...hidden] });
      if (isGood(answer)) return true;
      problem.textContent = problemText(answer);
      return false;
    },
  };
}

/** It cannot be hidden, so its profile has to be changed. @param {string} label */
function unfitDefault(label) {
  const link = { class: 'open', href: `#set-up=profile/${ALWAYS}` };
  return notice('wait', words.unfitDefault(label), element('a', link, words.changeProfile));
}
