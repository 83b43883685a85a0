import type { Router } from '@koa/router';
import { Failure } from '../../../helpers/failure.ts';

/** The three job endpoints: SPEC.md wants them there and answering 501, because no job store exists. */
export function jobRoutes(router: Router): void {
  router.get('/jobs', refuse);
  router.get('/jobs/:id', refuse);
  router.post('/jobs/:id/cancel', refuse);
}

function refuse(): never {
  throw new Failure(
    'not_implemented',
    'there are no jobs: POST /scan is synchronous and its answer is the finished result',
  );
}
