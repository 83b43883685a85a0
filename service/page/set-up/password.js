import { element } from '../element.js';
import { ask, isGood, problemText } from './calls.js';
import { notice, textField } from './fields.js';
import { words } from './texts.js';

/** @typedef {import('./screen.js').StepView} StepView */

/** Minimum length of the operator password, as in the service. */
const MIN_LENGTH = 8;

/** A hidden field, so that password managers store the password under this name. */
function userName() {
  return element('input', {
    type: 'text',
    name: 'username',
    autocomplete: 'username',
    value: words.operator,
    hidden: true,
    readonly: true,
  });
}

/** @param {string} [hint] */
function newPasswordField(hint) {
  return textField({
    id: 'new-password',
    label: words.newPassword,
    hint: hint ?? words.passwordHint(MIN_LENGTH),
    isSecret: true,
    input: { autocomplete: 'new-password', maxlength: 200 },
  });
}

/** @param {string} password */
function isLongEnough(password) {
  return password.length >= MIN_LENGTH && password.trim() !== '';
}

/**
 * The first step of a new appliance.
 * @param {() => void} onTaken called if another device has set the password first
 * @returns {StepView}
 */
export function claimView(onTaken) {
  const field = newPasswordField();
  return {
    title: words.claimTitle,
    lead: words.claimLead,
    content: [userName(), field.row],
    submit: async () => {
      const password = field.value();
      if (!isLongEnough(password)) return field.fail(words.passwordShort(MIN_LENGTH));
      const answer = await ask('POST', 'set-up/claim', { password });
      if (answer.status === 409) onTaken();
      return isGood(answer) || answer.status === 409 || field.fail(problemText(answer));
    },
  };
}

/**
 * @param {string} said why the password is needed, if that is unexpected
 * @returns {StepView}
 */
export function logInView(said) {
  const field = textField({
    id: 'operator-password',
    label: words.password,
    hint: words.passwordLost,
    isSecret: true,
    input: { autocomplete: 'current-password', maxlength: 200 },
  });
  return {
    title: words.logInTitle,
    lead: said === '' ? words.logInLead : undefined,
    content: [said !== '' && notice('wait', said), userName(), field.row],
    next: words.logIn,
    submit: async () => {
      if (field.value() === '') return field.fail(words.accountPasswordMissing);
      const answer = await ask('POST', 'set-up/session', { password: field.value() });
      return isGood(answer) || field.fail(passwordProblem(answer));
    },
  };
}

/** @returns {StepView} */
export function changePasswordView() {
  const old = textField({
    id: 'operator-password',
    label: words.oldPassword,
    isSecret: true,
    input: { autocomplete: 'current-password', maxlength: 200 },
  });
  const wanted = newPasswordField();
  return {
    title: words.changeTitle,
    lead: words.changeLead,
    content: [userName(), old.row, wanted.row],
    saved: words.changed,
    submit: async () => {
      const password = wanted.value();
      if (old.value() === '') return old.fail(words.accountPasswordMissing);
      if (!isLongEnough(password)) return wanted.fail(words.passwordShort(MIN_LENGTH));
      const answer = await ask('PUT', 'set-up/password', {
        password: old.value(),
        new_password: password,
      });
      return isGood(answer) || old.fail(passwordProblem(answer));
    },
  };
}

/** @param {import('../types.d.ts').Answer<any>} answer */
function passwordProblem(answer) {
  return answer.status === 401 ? words.wrongPassword : problemText(answer);
}
