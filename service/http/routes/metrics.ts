import type { Router } from '@koa/router';
import { Failure } from '../../../helpers/failure.ts';
import type { Metrics } from '../../metrics/metrics.ts';

/** GET /metrics, for Prometheus; not there unless the operator has switched it on. */
export function metricsRoute(
  router: Router,
  metrics: Pick<Metrics, 'contentType' | 'render'> | undefined,
): void {
  router.get('/metrics', async (ctx) => {
    if (!metrics) {
      throw new Failure(
        'not_found',
        'Metrics are switched off. Set METRICS=on and restart the service.',
      );
    }
    ctx.type = metrics.contentType;
    ctx.body = await metrics.render();
  });
}
