import { element } from '../element.js';
import { withCommands } from './fields.js';
import { words } from './texts.js';

/**
 * Shown instead of the settings if there is no operator password that works. Only a command on the
 * machine can make one: otherwise, anyone on the network could.
 * @param {'closed' | 'unreadable'} state
 * @param {() => void} onAgain
 * @returns {import('./screen.js').Screen}
 */
export function closedScreen(state, onAgain) {
  return {
    title: words.settings,
    lead: words.closed[state],
    content: [
      element('p', {}, words.closedRemedy),
      ...words.closedCommands.map(([way, command]) =>
        element(
          'div',
          {},
          element('strong', {}, way),
          element('p', {}, ...withCommands(`\`${command}\``)),
        ),
      ),
      element('p', {}, words.closedThen),
    ],
    next: words.checkAgain,
    submit: async () => true,
    onNext: onAgain,
  };
}
