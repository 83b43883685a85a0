import type { Router } from '@koa/router';
import { Failure } from '../../../helpers/failure.ts';
import { beginSession, isEqual, requiredToken } from '../authorization.ts';
import type { CallerToken } from '../caller-token.ts';
import { jsonBody } from '../json-body.ts';
import { parseSessionRequest } from '../requests.ts';

/** Wrong tokens that are looked at within `WRONG_MS` milliseconds, from all callers: behind a proxy all have one address. */
const MAX_WRONG = 10;
const WRONG_MS = 60_000;

/** POST /session: exchanges the caller token for a cookie, for the control page. Looks at few wrong tokens, so that none is guessed. */
export function sessionRoutes(router: Router, callerToken: CallerToken): void {
  let wrongAt: number[] = [];

  router.post('/session', jsonBody(), (ctx) => {
    const { token } = parseSessionRequest(ctx.request.body);
    const required = requiredToken(callerToken);
    wrongAt = wrongAt.filter((at) => performance.now() - at < WRONG_MS);
    if (required !== undefined && wrongAt.length >= MAX_WRONG) {
      const what = 'Too many wrong tokens were sent to this service.';
      throw new Failure('too_many_requests', what, { remedy: 'Wait a minute, then try again.' });
    }
    if (required !== undefined && !isEqual(token, required)) {
      wrongAt.push(performance.now());
      throw new Failure('unauthorized', 'This is not the token of this service.', {
        remedy: 'Copy it from the secret scan_api_token.',
      });
    }
    if (required !== undefined) beginSession(ctx, required);
    ctx.status = 204;
  });
}
