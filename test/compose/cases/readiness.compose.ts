import { stat } from 'node:fs/promises';
import path from 'node:path';
import { attach } from '../appliance.ts';
import { program } from '../../debian/programs.ts';
import { CHECKOUT } from '../composition.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('health and version');
const appliance = await attach();

test('every part passes the health check of its image', async () => {
  for (const part of ['service', 'scanner', 'processor']) await appliance.healthy(part);
});

test('GET /version tells the version, the commit that was built, and when', async () => {
  const { status, body } = await appliance.get('/version');
  // The builder cannot find the commit of a worktree, and a new repository has none.
  const cloned = await stat(path.join(CHECKOUT, '.git')).catch(() => undefined);
  const rev = ['git', '-C', CHECKOUT, 'rev-parse', 'HEAD'] as const;
  const head = cloned?.isDirectory() ? await program(rev).catch(() => 'unknown') : 'unknown';
  assert.is(status, 200);
  assert.match(String(body['version']), /^\d+\.\d+\.\d+/);
  assert.is(body['commit'], head.trim());
  assert.match(String(body['built_at']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});
