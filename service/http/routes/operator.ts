import type { Router } from '@koa/router';
import Joi from 'joi';
import type { Context } from 'koa';
import { Failure } from '../../../helpers/failure.ts';
import { expecting } from '../../../helpers/rules.ts';
import type { Operator } from '../../operator/operator.ts';
import { SESSION_MS } from '../../operator/session.ts';
import { jsonBody } from '../json-body.ts';
import { check } from '../requests.ts';
import { OPERATOR_COOKIE, stepRoutes, type StepParts } from './set-up-steps.ts';

export interface OperatorParts {
  readonly operator: Operator;
  /** True if the appliance has nothing to protect, see newness.ts. */
  readonly isNew: () => Promise<boolean>;
  /** False while the set-up in the browser has begun, but is not finished. */
  readonly isFinished: () => boolean;
  readonly steps: StepParts;
}

/**
 * Without a path, browsers send the cookie only below the path of the call that set it, which ends
 * in /set-up. A reverse proxy may add a path before it, which the service does not know.
 */
const NO_PATH = '';

const SWITCHED_OFF = { state: 'off', logged_in: false, finished: true };
const PASSWORD_CHANGED = { password_changed: true };

const MIN_LENGTH = 8;
const MAX_LENGTH = 200;

const password = Joi.string()
  .required()
  .max(MAX_LENGTH)
  .messages(expecting(`a password of at most ${MAX_LENGTH} characters`));
const newPassword = Joi.string()
  .required()
  .min(MIN_LENGTH)
  .max(MAX_LENGTH)
  .pattern(/\S/u)
  .messages(expecting(`a password of ${MIN_LENGTH} to ${MAX_LENGTH} characters`));

const parseClaim = check(Joi.object<{ readonly password: string }>({ password: newPassword }));
const parseLogIn = check(Joi.object<{ readonly password: string }>({ password }));
const parseChange = check(
  Joi.object<{ readonly password: string; readonly new_password: string }>({
    password,
    new_password: newPassword,
  }),
);

/** A caller token is not enough for these routes. `parts` is undefined if they are switched off. */
export function operatorRoutes(router: Router, parts: OperatorParts | undefined): void {
  const given = (): OperatorParts => {
    if (parts) return parts;
    const what = 'Set-up in the browser is switched off.';
    throw new Failure('not_found', what, { remedy: 'Use "npm run setup" on the machine.' });
  };

  router.get('/set-up', async (ctx) => {
    // Not 404: every page asks, and browsers log a 404 as an error.
    if (!parts) return void (ctx.body = SWITCHED_OFF);
    const { operator, isNew, isFinished } = parts;
    const known = await operator.state();
    const state = known !== 'none' ? known : (await isNew()) ? 'new' : 'closed';
    const session = ctx.cookies.get(OPERATOR_COOKIE) ?? '';
    const isLoggedIn = state === 'set' && (await operator.isLoggedIn(session));
    ctx.body = {
      state,
      logged_in: isLoggedIn,
      ...(state === 'set' && !isLoggedIn && operator.isReplaced(session) && PASSWORD_CHANGED),
      finished: state !== 'new' && isFinished(),
    };
  });

  router.post('/set-up/claim', jsonBody(), async (ctx) => {
    const { operator, isNew } = given();
    begin(ctx, await operator.claim(parseClaim(ctx.request.body).password, isNew));
  });

  router.post('/set-up/session', jsonBody(), async (ctx) => {
    begin(ctx, await given().operator.logIn(parseLogIn(ctx.request.body).password, ctx.ip));
  });

  router.delete('/set-up/session', async (ctx) => {
    await given().operator.logOut(ctx.cookies.get(OPERATOR_COOKIE) ?? '');
    ctx.cookies.set(OPERATOR_COOKIE, null, { path: NO_PATH, httpOnly: true, sameSite: 'strict' });
    ctx.status = 204;
  });

  router.put('/set-up/password', jsonBody(), async (ctx) => {
    const { password: old, new_password: wanted } = parseChange(ctx.request.body);
    begin(ctx, await given().operator.change(old, wanted, ctx.ip));
  });

  stepRoutes(router, parts?.operator.isLoggedIn, () => given().steps);
}

/** Behind a TLS proxy, only `Origin` shows that the browser uses TLS. */
function begin(ctx: Context, session: string): void {
  ctx.cookies.secure = ctx.get('Origin').startsWith('https:');
  ctx.cookies.set(OPERATOR_COOKIE, session, {
    path: NO_PATH,
    httpOnly: true,
    sameSite: 'strict',
    maxAge: SESSION_MS,
  });
  ctx.status = 204;
}
