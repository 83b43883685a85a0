import type { Router } from '@koa/router';
import { Failure } from '../../../helpers/failure.ts';
import { beginSession, isEqual, requiredToken } from '../authorization.ts';
import type { CallerToken } from '../caller-token.ts';
import { jsonBody } from '../json-body.ts';
import { parseSessionRequest } from '../requests.ts';
import type { WrongTokens } from '../wrong-tokens.ts';

/** POST /session: exchanges the caller token for a cookie. */
export function sessionRoutes(
  router: Router,
  callerToken: CallerToken,
  wrongTokens: WrongTokens,
): void {
  router.post('/session', jsonBody(), (ctx) => {
    const { token } = parseSessionRequest(ctx.request.body);
    const required = requiredToken(callerToken);
    if (required !== undefined) wrongTokens.check(ctx.ip);
    if (required !== undefined && !isEqual(token, required)) {
      wrongTokens.count(ctx.ip, token);
      throw new Failure('unauthorized', 'This is not the token of this service.', {
        remedy: 'Copy it from the secret scan_api_token.',
      });
    }
    if (required !== undefined) beginSession(ctx, required);
    ctx.status = 204;
  });
}
