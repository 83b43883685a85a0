import { Router } from '@koa/router';
import Joi from 'joi';
import { json } from 'node:stream/consumers';
import type { ScannerState } from './device.ts';
import { readManifest, stackOf } from '../pages/manifest.ts';
import { parseFault, type Fault } from './faults.ts';
import type { Paper } from './feeder.ts';
import { readableImage } from './page-files.ts';

export interface Controls {
  readonly state: () => ScannerState;
  readonly load: (papers: readonly Paper[]) => void;
  readonly setFault: (fault: Fault | null) => void;
  /** Loaded again by `POST /control/load` with `{}`. */
  readonly initialPapers: readonly Paper[];
  /** Page files are relative to this directory. */
  readonly pagesDir: string;
}

const pageName = Joi.string().min(1);
const loadSchema = Joi.object({
  pages: Joi.array().items(pageName, Joi.object({ front: pageName.required(), back: pageName })),
  stack: Joi.string(),
}).oxor('pages', 'stack');

/**
 * `GET /control/state`, `POST /control/load` (`{"pages": ["letter.jpg", {"front": …, "back": …}]}`,
 * `{"stack": "demo"}` for a stack of the manifest, or `{}` for the first stack again) and `POST
 * /control/fault` (a fault as JSON, or `null`). Each returns the state; GET also lists the
 * requests. A wrong request is answered with 400, and changes nothing. Without authentication: only
 * for test networks.
 */
export function createControlRouter(controls: Controls): Router {
  const router = new Router({ prefix: '/control' });
  router.use(async (context, next) => {
    try {
      await next();
      const { requests, ...state } = controls.state();
      context.body = context.method === 'GET' ? { ...state, requests } : state;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      context.status = 400;
      context.body = { error: error.message };
    }
  });
  router.get('/state', () => {});
  router.post('/load', async (context) => {
    const order = Joi.attempt(await json(context.req), loadSchema, { convert: false });
    controls.load(await papersOf(order, controls));
  });
  router.post('/fault', async (context) => {
    controls.setFault(parseFault(await json(context.req)));
  });
  return router;
}

async function papersOf(
  order: { readonly pages?: readonly Paper[]; readonly stack?: string },
  { pagesDir, initialPapers }: Controls,
): Promise<readonly Paper[]> {
  const { pages, stack } = order;
  if (pages) return readablePapers(pages, pagesDir);
  if (stack === undefined) return initialPapers;
  return readablePapers(stackOf(await readManifest(pagesDir), stack, pagesDir), pagesDir);
}

function readablePapers(papers: readonly Paper[], directory: string): Promise<Paper[]> {
  const readable = (name: string): Promise<string> => readableImage(name, directory);
  return Promise.all(
    papers.map(async (paper) => {
      if (typeof paper === 'string') return readable(paper);
      const { front, back } = paper;
      return {
        front: await readable(front),
        ...(back !== undefined && { back: await readable(back) }),
      };
    }),
  );
}
