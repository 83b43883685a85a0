import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { formProfileSchema } from '../../profiles/form-schema.ts';
import type { ProfileForms } from '../../set-up/profiles/profile-forms.ts';
import { jsonBody } from '../json-body.ts';
import { check } from '../requests.ts';
import { expectedIn, nameIn } from './profiles.ts';

const parseForm = check(formProfileSchema);

/** Profiles in Settings: GET /set-up/profiles, and GET, PUT and DELETE /set-up/profiles/{name}. */
export function profileFormRoutes(
  router: Router,
  isOperator: Middleware,
  forms: () => ProfileForms,
): void {
  router.get('/set-up/profiles', isOperator, async (ctx) => {
    ctx.body = await forms().list();
  });

  router.get('/set-up/profiles/:name', isOperator, async (ctx) => {
    const entry = await forms().get(ctx.params['name'] ?? '');
    ctx.etag = entry.revision ?? '';
    ctx.body = entry;
  });

  router.put('/set-up/profiles/:name', isOperator, jsonBody(), async (ctx) => {
    const name = nameIn(ctx.params['name']);
    const { page_size: _, ...given } = parseForm(ctx.request.body);
    const { page_size } = Object(ctx.request.body);
    // Page sizes stay as they were sent: the check turns names into millimetres.
    const form = { ...given, ...(page_size !== undefined && { page_size }) };
    const { isNew, entry } = await forms().put(name, form, expectedIn(ctx.get('If-Match')));
    ctx.status = isNew ? 201 : 200;
    ctx.etag = entry.revision ?? '';
    ctx.body = entry;
  });

  router.delete('/set-up/profiles/:name', isOperator, async (ctx) => {
    await forms().remove(ctx.params['name'] ?? '', expectedIn(ctx.get('If-Match')));
    ctx.status = 204;
  });
}
