import { post } from '../../api.js';
import { ask, isGood, problemText } from '../calls.js';
import { alertLine, choices, notice, textField } from '../fields.js';
import { words } from '../texts.js';

/** Same as in the service. */
const MIN_LENGTH = 8;

/** All but visible ASCII, as in the service, because the password is sent in a header. */
const UNUSABLE = /[^!-~]/u;

/**
 * @param {import('../types.d.ts').AnswersBody} body
 * @returns {import('../screen.js').StepView}
 */
export function houseView({ answers: { house }, fixed: { scan_api_token: fixed } }) {
  const common = { title: words.steps.house, lead: words.houseLead };
  if (fixed !== null) {
    const content = [notice('wait', words.fixedBy(fixed))];
    return { ...common, content, isFixed: true, submit: async () => true };
  }
  const problem = alertLine();
  const password = passwordField(house === 'password');
  /** @type {string} */
  let chosen = house ?? 'password';
  password.row.hidden = chosen === 'open';
  let saved = '';

  /** @param {string} id */
  function choose(id) {
    chosen = id;
    problem.textContent = '';
    password.row.hidden = id === 'open';
  }

  async function submit() {
    const given = chosen === 'open' ? null : password.value();
    if (given === '' && house === 'password') return true;
    const mistake = given === null ? '' : mistakeIn(given);
    if (mistake !== '') return password.fail(mistake);
    const answer = await ask('PUT', 'set-up/house', { password: given });
    if (!isGood(answer)) {
      problem.textContent = problemText(answer);
      return false;
    }
    /* Logs in this device too, so that it need not ask for the password. */
    if (given !== null) await post('session', { token: given });
    saved = given === null ? '' : words.housePasswordSaved;
    return true;
  }

  const options = [
    { id: 'password', text: words.housePasswordChoice, hint: words.housePasswordMeans },
    { id: 'open', text: words.houseOpen, hint: words.houseOpenMeans },
  ];
  return {
    ...common,
    content: [
      choices({ name: 'house', label: words.steps.house, options, chosen, onChange: choose }),
      password.row,
      problem,
    ],
    submit,
    get saved() {
      return saved;
    },
  };
}

/** @param {boolean} isSet */
function passwordField(isSet) {
  return textField({
    id: 'house-password',
    label: isSet ? words.newHousePassword : words.housePassword,
    hint: isSet ? `${words.housePasswordSet} ${words.housePasswordHint}` : words.housePasswordHint,
    isSecret: true,
    input: { autocomplete: 'new-password', maxlength: 100 },
  });
}

/**
 * The rule that a new password breaks, or an empty text.
 * @param {string} password
 */
function mistakeIn(password) {
  const [unusable] = UNUSABLE.exec(password) ?? [];
  if (unusable !== undefined) return words.housePasswordWith(unusable);
  return password.length < MIN_LENGTH ? words.passwordShort(MIN_LENGTH) : '';
}
