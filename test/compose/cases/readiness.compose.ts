import { readdirSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { attach, until, type Answer } from '../appliance.ts';
import { program } from '../engine/programs.ts';
import { CHECKOUT } from '../composition.ts';

/** A changed directory of profiles is noticed without being asked. */
const NOTICED_MS = 60_000;

const test = suite('readiness and version');
const appliance = await attach();
await appliance.ready();

async function notReady(reason: string): Promise<Answer> {
  let answer: Answer = { status: 0, body: {} };
  await until(NOTICED_MS, reason, async () => {
    answer = await appliance.get('/ready');
    return answer.status === 503;
  });
  return answer;
}

test('every part is healthy by the check of its own image', async () => {
  for (const part of ['service', 'scanner', 'processor']) {
    const id = await appliance.container(part);
    await until(NOTICED_MS, `${part} to be healthy`, async () => {
      const status = await appliance.docker.run(['inspect', '-f', '{{.State.Health.Status}}', id]);
      return status.trim() === 'healthy';
    });
  }
});

test('GET /version tells the version, the commit that was built, and when', async () => {
  const { status, body } = await appliance.get('/version');
  // Of a worktree, the commit is elsewhere and the builder cannot know it; of a new repository, there is none.
  const cloned = await stat(path.join(CHECKOUT, '.git')).catch(() => undefined);
  const rev = ['git', '-C', CHECKOUT, 'rev-parse', 'HEAD'] as const;
  const head = cloned?.isDirectory() ? await program(rev).catch(() => 'unknown') : 'unknown';
  assert.is(status, 200);
  assert.match(String(body['version']), /^\d+\.\d+\.\d+/);
  assert.is(body['commit'], head.trim());
  assert.match(String(body['built_at']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

const SHIPPED = readdirSync(path.join(CHECKOUT, 'profiles'));

test('without a profile it is not ready, and ready again when there is one', async () => {
  const profiles = path.join(appliance.facts.workspace, 'profiles');
  const aside = path.join(appliance.facts.workspace, 'aside');
  await mkdir(aside, { recursive: true });
  const names = await readdir(profiles);
  for (const name of names) await rename(path.join(profiles, name), path.join(aside, name));
  // The shipped profiles are in the image: an own one of the same name that is broken keeps each from being used.
  const broken = SHIPPED.map((name) => path.join(profiles, name));
  for (const file of broken) await writeFile(file, 'destinations: none');
  try {
    const { body } = await notReady('no profile to be loaded');
    assert.is(body['reason'], 'no_profiles_loaded');
  } finally {
    for (const file of broken) await rm(file);
    for (const name of names) await rename(path.join(aside, name), path.join(profiles, name));
  }
  await appliance.ready();
});

test.run();
