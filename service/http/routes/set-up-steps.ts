import type { Router } from '@koa/router';
import Joi from 'joi';
import type { Context, Middleware, Next } from 'koa';
import { Failure } from '../../../helpers/failure.ts';
import { expecting } from '../../../helpers/rules.ts';
import { PROFILE_NAME } from '../../profiles/schema.ts';
import type { SelfTest } from '../../self-test/self-test.ts';
import type { Account } from '../../set-up/ask-paperless.ts';
import type { SetUpAnswers } from '../../set-up/steps/answers.ts';
import type { ProfileForms } from '../../set-up/profiles/profile-forms.ts';
import type { ButtonsStep } from '../../set-up/steps/buttons-step.ts';
import type { DestinationStep } from '../../set-up/steps/destination-step.ts';
import type { FinishStep } from '../../set-up/steps/finish-step.ts';
import type { HouseStep } from '../../set-up/steps/house-step.ts';
import type { LanguagesStep, WantedLanguages } from '../../set-up/steps/languages-step.ts';
import type { ScannerStep } from '../../set-up/steps/scanner-step.ts';
import { jsonBody } from '../json-body.ts';
import { translated } from '../../set-up/steps/translated-checks.ts';
import { check, parseRefresh } from '../requests.ts';
import { profileFormRoutes } from './profile-forms.ts';

/** The steps of setting up in the browser. The settings page uses them too. */
export interface StepParts {
  readonly answers: () => Promise<SetUpAnswers>;
  readonly selfTest: SelfTest;
  /** Body of GET /scanners. */
  readonly scanners: (refresh: boolean) => Promise<object>;
  readonly setScanner: ScannerStep;
  readonly setDestination: DestinationStep;
  readonly setLanguages: LanguagesStep;
  readonly setButtons: ButtonsStep;
  readonly setHouse: HouseStep;
  readonly finish: FinishStep;
  readonly profileForms: ProfileForms;
}

export const OPERATOR_COOKIE = 'scan_operator';

interface AccountFields {
  readonly token?: string;
  readonly user?: string;
  readonly password?: string;
  readonly code?: string;
}

const secretText = Joi.string().max(1000).messages(expecting('text of at most 1000 characters'));

const parseDestination = check(
  Joi.object<AccountFields & { readonly address: string }>({
    address: Joi.string()
      .required()
      .max(500)
      .messages(expecting('the address of a Paperless-ngx, of at most 500 characters')),
    token: secretText,
    user: secretText,
    password: secretText,
    code: secretText,
  })
    .and('user', 'password')
    .nand('token', 'user')
    .messages({
      'object.and': '"user" and "password" must be sent together',
      'object.nand': '"token" must not be sent with "user"',
    }),
);

const parseScanner = check(
  Joi.object<{ readonly scanner: string }>({
    scanner: Joi.string()
      .required()
      .max(300)
      .messages(expecting('the name or address of a scanner, of at most 300 characters')),
  }),
);

const MAX_LANGUAGES = 8;

const parseLanguages = check(
  Joi.object<WantedLanguages>({
    languages: Joi.array()
      .items(Joi.string().max(40).messages(expecting('a language of at most 40 characters')))
      .min(1)
      .max(MAX_LANGUAGES)
      .messages(expecting(`a list of 1 to ${MAX_LANGUAGES} languages`)),
    time_zone: Joi.string().max(64).messages(expecting('a time zone such as Europe/Berlin')),
  })
    .min(1)
    .messages({ 'object.min': 'The body must have "languages" or "time_zone"' }),
);

/** More than there are shipped profiles and profiles of Settings. */
const MAX_HIDDEN = 100;

const parseButtons = check(
  Joi.object<{ readonly hidden: readonly string[] }>({
    hidden: Joi.array()
      .items(Joi.string().pattern(PROFILE_NAME).messages(expecting('the name of a profile')))
      .max(MAX_HIDDEN)
      .required()
      .messages(expecting(`a list of at most ${MAX_HIDDEN} names of shipped profiles`)),
  }),
);

/** Visible ASCII, because callers send it in a header. */
const HOUSE_PASSWORD = /^[!-~]{8,100}$/u;

const parseHouse = check(
  Joi.object<{ readonly password: string | null }>({
    password: Joi.string()
      .pattern(HOUSE_PASSWORD)
      .allow(null)
      .required()
      .messages(expecting('8 to 100 ASCII characters, no spaces, or null')),
  }),
);

const parseFinish = check(Joi.object<Record<string, never>>({}));

/** Routes below /set-up that need a session of the operator. */
export function stepRoutes(
  router: Router,
  isLoggedIn: ((session: string) => Promise<boolean>) | undefined,
  given: () => StepParts,
): void {
  const isOperator = operatorOnly(isLoggedIn);

  router.get('/set-up/answers', isOperator, async (ctx) => {
    ctx.body = await given().answers();
  });

  router.get('/set-up/self-test', isOperator, async (ctx) => {
    const result = await given().selfTest(parseRefresh(ctx.query).refresh);
    ctx.body = { ...result, checks: result.checks.map(translated) };
  });

  router.get('/set-up/scanners', isOperator, async (ctx) => {
    ctx.body = await given().scanners(parseRefresh(ctx.query).refresh);
  });

  router.post('/set-up/scanner', isOperator, jsonBody(), async (ctx) => {
    const { setScanner, answers } = given();
    const scanner = await setScanner(parseScanner(ctx.request.body).scanner);
    ctx.body = { scanner, buttons: (await answers()).answers.buttons };
  });

  router.post('/set-up/paperless', isOperator, jsonBody(), async (ctx) => {
    const { setDestination } = given();
    const { address, ...account } = parseDestination(ctx.request.body);
    ctx.body = await setDestination(address, accountOf(account));
  });

  router.put('/set-up/languages', isOperator, jsonBody(), async (ctx) => {
    const { setLanguages } = given();
    ctx.body = await setLanguages(parseLanguages(ctx.request.body));
  });

  router.put('/set-up/buttons', isOperator, jsonBody(), async (ctx) => {
    const { setButtons } = given();
    ctx.body = { buttons: await setButtons(parseButtons(ctx.request.body).hidden) };
  });

  router.put('/set-up/house', isOperator, jsonBody(), async (ctx) => {
    const { setHouse } = given();
    await setHouse(parseHouse(ctx.request.body).password);
    ctx.status = 204;
  });

  router.post('/set-up/finish', isOperator, jsonBody(), async (ctx) => {
    const { finish, answers } = given();
    parseFinish(ctx.request.body);
    const finished_at = await finish();
    ctx.body = { finished_at, to_do: (await answers()).to_do };
  });

  profileFormRoutes(router, isOperator, () => given().profileForms);
}

function operatorOnly(isLoggedIn: ((session: string) => Promise<boolean>) | undefined): Middleware {
  return async (ctx: Context, next: Next) => {
    const session = ctx.cookies.get(OPERATOR_COOKIE) ?? '';
    // Without `isLoggedIn`, the route itself answers that set-up is switched off.
    if (!isLoggedIn || (await isLoggedIn(session))) return next();
    throw new Failure('unauthorized', 'The operator password is needed.', {
      remedy: 'Log in with POST /set-up/session.',
    });
  };
}

function accountOf({ token, user, password: secret, code }: AccountFields): Account {
  if (token !== undefined) return { kind: 'token', token };
  if (user === undefined || secret === undefined) return { kind: 'none' };
  return { kind: 'login', user, password: secret, code };
}
