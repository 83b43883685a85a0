import type { Router } from '@koa/router';
import Joi from 'joi';
import type { Middleware } from 'koa';
import type * as SwaggerUi from 'koa2-swagger-ui';
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { OpenApi } from '../open-api.ts';

const require = createRequire(import.meta.url);

const ASSETS_DIRECTORY = path.dirname(require.resolve('swagger-ui-dist/package.json'));
const { version: ASSETS_VERSION } = Joi.attempt(
  require('swagger-ui-dist/package.json'),
  Joi.object<{ version: string }, true>({ version: Joi.string().required() }).unknown(),
);
const ASSETS: Readonly<Record<string, string>> = {
  // koa2-swagger-ui requests this name, which only its CDN has.
  'swagger-ui.min.css': 'swagger-ui.css',
  'swagger-ui-bundle.js': 'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js': 'swagger-ui-standalone-preset.js',
  'favicon-32x32.png': 'favicon-32x32.png',
};

/** Serves the OpenAPI file, and Swagger UI from local files, without Internet access. */
export function docsRoutes(router: Router, openApi: OpenApi): void {
  router.get('/openapi.yaml', (ctx) => {
    ctx.type = 'application/yaml';
    ctx.body = openApi.yaml;
  });

  router.get('/openapi.json', (ctx) => {
    ctx.body = openApi.document;
  });

  router.get('/docs', async (ctx, next) => {
    await createPage()(ctx, next);
    const nonce = randomBytes(16).toString('base64');
    ctx.set('Content-Security-Policy', docsPolicy(nonce));
    ctx.body = withoutForeignParts(String(ctx.body)).replaceAll(
      '<script',
      `<script nonce="${nonce}"`,
    );
  });

  router.get('/docs/', (ctx) => ctx.redirect('/docs'));

  router.get(`/docs/assets/${ASSETS_VERSION}/:name`, async (ctx, next) => {
    const name = ctx.params['name'] ?? '';
    if (!Object.hasOwn(ASSETS, name)) return next();
    ctx.type = path.extname(name);
    ctx.set('Cache-Control', 'max-age=86400');
    ctx.body = createReadStream(path.join(ASSETS_DIRECTORY, ASSETS[name] ?? ''));
  });
}

/**
 * Loaded on first use, to save memory. Unlike `import()`, `require` can be repeated after an error.
 */
function createPage(): Middleware {
  const { koaSwagger }: typeof SwaggerUi = require('koa2-swagger-ui');
  return koaSwagger({
    title: 'Scan service',
    routePrefix: '/docs',
    swaggerCdnUrl: '/docs/assets',
    swaggerVersion: ASSETS_VERSION,
    favicon: `/docs/assets/${ASSETS_VERSION}/favicon-32x32.png`,
    swaggerOptions: { url: '/openapi.json', validatorUrl: null },
  });
}

/** Removes a web font, which would delay loading without Internet access. */
function withoutForeignParts(html: string): string {
  return html.replaceAll(/<link[^>]*https?:\/\/[^>]*>\s*/g, '');
}

/** Swagger UI needs inline styles and data URLs. */
function docsPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
