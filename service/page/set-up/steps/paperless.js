import { element } from '../../element.js';
import { ask, isGood, problemText } from '../calls.js';
import { forgetDrafts, notice, segments, textField } from '../fields.js';
import { words } from '../texts.js';

/**
 * @typedef {import('../fields.js').Field} Field
 * @typedef {import('../screen.js').StepView} StepView
 * @typedef {import('../../types.d.ts').Answer<any>} Answer
 */

/** Problems shown at the password or token. All other problems are shown at the address. */
const OF_ACCOUNT = [
  'wrong_login',
  'throttled',
  'not_a_token',
  'token',
  'token_length',
  'permission',
];

/** @typedef {'login' | 'token'} AccountKind */

/**
 * @param {import('../types.d.ts').AnswersBody} body
 * @returns {StepView}
 */
export function paperlessView({ answers: { paperless }, fixed }) {
  const fields = createFields();
  const { address, token, code } = fields;
  const known = paperless.address ?? '';
  address.row.classList.add('steady');
  const early = createEarlyCheck(address);
  /* The service does not change the address of a token that the operator fixed. */
  const fixedBy = fixed.dms_url ?? fixed.dms_api_token;
  if (fixedBy !== null) address.fix(known, words.fixedBy(fixedBy));
  else if (address.value() === '' && known !== '') {
    if (paperless.token) address.input.value = known;
    else void early.propose(known);
  }
  const account = createAccount(fields);
  const isFixed = fixed.dms_api_token !== null;

  async function submit() {
    if (isFixed) return true;
    if (address.value() === '') return address.fail(words.addressMissing);
    const isRefused = early.end() === address.value();
    const isUnchanged = paperless.token && address.value() === known && account.isEmpty();
    if (isUnchanged) return true;
    if (isRefused) {
      const again = await ask('POST', 'set-up/paperless', { address: address.value() });
      if (!isGood(again)) return address.fail(addressProblem(again));
    }
    const given = account.given();
    if ('field' in given) return given.field.fail(given.text);
    const answer = await ask('POST', 'set-up/paperless', { address: address.value(), ...given });
    if (!isGood(answer)) return showProblem(answer, fields, account.kind());
    forgetDrafts('paperless-address', 'paperless-user');
    return true;
  }

  return {
    title: words.steps.paperless,
    lead: words.paperlessLead,
    content: [
      paperless.token && notice('good', words.paperlessIs(known)),
      address.row,
      ...(fixed.dms_api_token === null
        ? [account.choice, account.userRow, token.row, code.row]
        : [notice('wait', words.fixedBy(fixed.dms_api_token))]),
    ],
    isFixed,
    submit,
  };
}

/** @typedef {ReturnType<typeof createFields>} Fields */

function createFields() {
  return {
    address: textField({
      id: 'paperless-address',
      label: words.address,
      hint: words.addressHint,
      input: { inputmode: 'url', autocomplete: 'url', maxlength: 500 },
    }),
    user: textField({
      id: 'paperless-user',
      label: words.user,
      input: { autocomplete: 'username', maxlength: 1000 },
    }),
    password: textField({
      id: 'paperless-password',
      label: words.accountPassword,
      hint: words.accountHint,
      isSecret: true,
      input: { autocomplete: 'current-password', maxlength: 1000 },
    }),
    token: textField({
      id: 'paperless-token',
      label: words.token,
      hint: words.tokenHint,
      isSecret: true,
      input: { autocomplete: 'off', maxlength: 1000 },
    }),
    code: textField({
      id: 'paperless-code',
      label: words.code,
      hint: words.codeHint,
      input: { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 20 },
    }),
  };
}

/**
 * The choice between a user and a token.
 * @param {Fields} fields
 */
function createAccount({ user, password, token, code }) {
  /** @type {AccountKind} */
  let kind = 'login';
  const login = element('div', {}, user.row, password.row);
  token.row.hidden = true;
  code.row.hidden = true;

  /** @returns {{ token: string } | { user: string, password: string, code?: string } | { field: Field, text: string }} */
  function given() {
    if (kind === 'token') {
      const typed = token.value().trim();
      return typed === '' ? { field: token, text: words.tokenMissing } : { token: typed };
    }
    if (user.value() === '') return { field: user, text: words.userMissing };
    if (password.value() === '') return { field: password, text: words.accountPasswordMissing };
    if (code.row.hidden === false && code.value() === '')
      return { field: code, text: words.codeNeeded };
    return {
      user: user.value(),
      password: password.value(),
      ...(code.row.hidden === false && { code: code.value() }),
    };
  }

  return {
    userRow: login,
    kind: () => kind,
    given,
    isEmpty: () => [user, password, token].every((one) => one.value() === ''),
    choice: segments({
      legend: words.account,
      name: 'account',
      options: [
        { id: 'login', text: words.byLogin, isChosen: true },
        { id: 'token', text: words.byToken, isChosen: false },
      ],
      onChange: (id) => {
        kind = id === 'token' ? 'token' : 'login';
        login.hidden = kind === 'token';
        token.row.hidden = kind !== 'token';
        code.row.hidden = true;
      },
    }),
  };
}

/**
 * Checks the address as soon as it is typed, before the account. Shows two lines at most, for which
 * there is room: a longer text would move the fields below while a person taps on them.
 * @param {Field} address
 */
function createEarlyCheck(address) {
  let refused = '';
  let checks = 0;
  address.input.addEventListener('change', () => void check());

  async function check() {
    const given = address.value();
    const mine = (checks += 1);
    refused = '';
    if (given === '') return;
    const answer = await ask('POST', 'set-up/paperless', { address: given });
    /* Another check has begun, or something else was typed in between. */
    if (mine !== checks || address.value() !== given) return;
    if (isGood(answer)) address.note(words.paperlessAnswers);
    else if (answer.body.text !== undefined) {
      refused = given;
      const isSilent = answer.body.problem === 'paperless.tcp';
      address.warn(isSilent ? words.addressSilent : words.addressFails);
    }
  }

  /**
   * Fills in the address that Compose or the units assume, if a Paperless-ngx answers there.
   * @param {string} known
   */
  async function propose(known) {
    const answer = await ask('POST', 'set-up/paperless', { address: known });
    if (!isGood(answer) || checks > 0 || address.value() !== '') return;
    address.input.value = known;
    address.note(words.paperlessAnswers);
  }

  return {
    propose,
    /** Ends a check that is under way, and returns the address that was refused. */
    end: () => {
      checks += 1;
      return refused;
    },
  };
}

/**
 * Shows the problem at its field.
 * @param {Answer} answer
 * @param {Fields} fields
 * @param {AccountKind} kind
 */
function showProblem(answer, { address, password, token, code }, kind) {
  const problem = String(answer.body.problem).replace('paperless.', '');
  if (problem === 'mfa') {
    /* The first answer only tells that a code is needed. */
    const text = code.value() === '' ? words.codeNeeded : problemText(answer);
    code.row.hidden = false;
    code.input.value = '';
    return code.fail(text);
  }
  if (!OF_ACCOUNT.includes(problem)) return address.fail(addressProblem(answer));
  return (kind === 'token' ? token : password).fail(problemText(answer));
}

/** @param {Answer} answer */
function addressProblem(answer) {
  const text = problemText(answer);
  return answer.body.problem === 'paperless.tls' ? `${text} ${words.certificate}` : text;
}
