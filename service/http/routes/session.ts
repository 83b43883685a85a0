import type { Router } from '@koa/router';
import Joi from 'joi';
import { Failure } from '../../../helpers/failure.ts';
import { requiredToken } from '../authorization.ts';
import type { CallerToken } from '../caller-token.ts';
import { checkFields } from '../check-fields.ts';
import { isEqual } from '../is-equal.ts';
import { jsonBody } from '../json-body.ts';
import { beginSession } from '../session.ts';

const schema = Joi.object<{ token: string }>({
  token: Joi.string()
    .required()
    .max(4096)
    .messages({ '*': '{{#label}} must be the token of this service' }),
}).prefs({ abortEarly: false, convert: false });

/** POST /session: exchanges the caller token for a cookie, for the control page. */
export function sessionRoutes(router: Router, callerToken: CallerToken): void {
  router.post('/session', jsonBody(), (ctx) => {
    const { token } = checkFields(schema, ctx.request.body, 'invalid_body');
    const required = requiredToken(callerToken);
    if (required !== undefined && !isEqual(token, required))
      throw new Failure(
        'unauthorized',
        'This is not the token of this service. Copy it from the secret scan_api_token.',
      );
    if (required !== undefined) beginSession(ctx, required);
    ctx.status = 204;
  });
}
