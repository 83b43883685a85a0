import type { Gauge } from '@prometheus-io/client';
import { lookInBackground } from '../background-look.ts';

/** How often the parts are asked: a scrape asks nobody, so that a part that hangs holds up none. */
const INTERVAL_MS = 15_000;

/** As long as a caller of GET /ready waits for the runtime. */
const ANSWER_MS = 3000;

/** The other parts of the appliance, by the names that the metric has for them. */
export type Components = Readonly<
  Record<'runtime' | 'processor', { health(signal: AbortSignal): Promise<unknown> }>
>;

/** Sets the gauge to whether each part answers, now and then every 15 seconds. Resolves with the function that ends it. */
export function watchComponents(
  up: Gauge<'component'>,
  components: Components,
): Promise<() => void> {
  return lookInBackground({
    look: async () => {
      await Promise.all(
        Object.entries(components).map(async ([component, part]) => {
          const answer = part.health(AbortSignal.timeout(ANSWER_MS));
          const answers = await answer.then(
            () => 1,
            () => 0,
          );
          up.set({ component }, answers);
        }),
      );
    },
    intervalMs: INTERVAL_MS,
    // A part that does not answer is what is looked for.
    onError: () => {},
  });
}
