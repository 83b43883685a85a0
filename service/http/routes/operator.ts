import type { Router } from '@koa/router';
import Joi from 'joi';
import type { Context, Next } from 'koa';
import { Failure } from '../../../helpers/failure.ts';
import { expecting } from '../../../helpers/rules.ts';
import type { Operator } from '../../operator/operator.ts';
import { SESSION_MS } from '../../operator/session.ts';
import type { DestinationStep } from '../../set-up/destination-step.ts';
import type { Account } from '../../set-up/ask-paperless.ts';
import { jsonBody } from '../json-body.ts';
import { check } from '../requests.ts';

export interface OperatorParts {
  readonly operator: Operator;
  readonly isNew: () => Promise<boolean>;
  readonly setDestination: DestinationStep;
}

const COOKIE = 'scan_operator';

/** The browser sends the operator's cookie only below this path. */
const PATH = '/set-up';

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

/** A caller token is not enough for these routes. `parts` is undefined if they are switched off. */
export function operatorRoutes(router: Router, parts: OperatorParts | undefined): void {
  const given = (): OperatorParts => {
    if (parts) return parts;
    const what = 'Set-up in the browser is switched off.';
    throw new Failure('not_found', what, { remedy: 'Use "npm run setup" on the machine.' });
  };

  router.get('/set-up', async (ctx) => {
    const { operator, isNew } = given();
    const state = await operator.state();
    ctx.body = {
      state: state !== 'none' ? state : (await isNew()) ? 'new' : 'closed',
      logged_in: state === 'set' && (await operator.isLoggedIn(ctx.cookies.get(COOKIE) ?? '')),
    };
  });

  router.post('/set-up/claim', jsonBody(), async (ctx) => {
    const { operator, isNew } = given();
    begin(ctx, await operator.claim(parseClaim(ctx.request.body).password, isNew));
  });

  router.post('/set-up/session', jsonBody(), async (ctx) => {
    begin(ctx, await given().operator.logIn(parseLogIn(ctx.request.body).password, ctx.ip));
  });

  router.delete('/set-up/session', (ctx) => {
    given();
    ctx.cookies.set(COOKIE, null, { path: PATH, httpOnly: true, sameSite: 'strict' });
    ctx.status = 204;
  });

  router.put('/set-up/password', jsonBody(), async (ctx) => {
    const { password: old, new_password: wanted } = parseChange(ctx.request.body);
    begin(ctx, await given().operator.change(old, wanted, ctx.ip));
  });

  stepRoutes(router, parts, given);
}

function stepRoutes(
  router: Router,
  parts: OperatorParts | undefined,
  given: () => OperatorParts,
): void {
  const isOperator = async (ctx: Context, next: Next): Promise<void> => {
    const session = ctx.cookies.get(COOKIE) ?? '';
    // Without `parts`, the route itself answers that set-up is switched off.
    if (!parts || (await parts.operator.isLoggedIn(session))) return next();
    throw new Failure('unauthorized', 'The operator password is needed.', {
      remedy: 'Log in with POST /set-up/session.',
    });
  };

  router.post('/set-up/paperless', isOperator, jsonBody(), async (ctx) => {
    const { setDestination } = given();
    const { address, ...account } = parseDestination(ctx.request.body);
    ctx.body = await setDestination(address, accountOf(account));
  });
}

function accountOf({ token, user, password: secret, code }: AccountFields): Account {
  if (token !== undefined) return { kind: 'token', token };
  if (user === undefined || secret === undefined) return { kind: 'none' };
  return { kind: 'login', user, password: secret, code };
}

/** Behind a TLS proxy, only `Origin` shows that the browser uses TLS. */
function begin(ctx: Context, session: string): void {
  ctx.cookies.secure = ctx.get('Origin').startsWith('https:');
  ctx.cookies.set(COOKIE, session, {
    path: PATH,
    httpOnly: true,
    sameSite: 'strict',
    maxAge: SESSION_MS,
  });
  ctx.status = 204;
}
