import type { Router } from '@koa/router';
import { Failure } from '../../../helpers/failure.ts';

/** The three job endpoints, which always answer 501 (docs/specification.md §4): no job store exists. */
export function jobRoutes(router: Router): void {
  router.get('/jobs', refuse);
  router.get('/jobs/:id', refuse);
  router.post('/jobs/:id/cancel', refuse);
}

function refuse(): never {
  throw new Failure(
    'not_implemented',
    'There are no jobs. POST /scan is synchronous and answers with the finished result.',
  );
}
