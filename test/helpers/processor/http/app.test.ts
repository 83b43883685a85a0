import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withFixture } from '../../../support/with-fixture.ts';
import { startBench } from '../support/processor-bench.ts';

const test = withFixture(suite('the HTTP interface of the processor'), () => startBench());

async function errorOf(response: Response): Promise<{ error: string; message: string }> {
  assert.match(response.headers.get('Content-Type') ?? '', /^application\/json/);
  return (await response.json()) as { error: string; message: string };
}

test('tells what is installed, and how many pages it works on at once', async ({ url }) => {
  const response = await fetch(`${url}/health`);
  assert.is(response.status, 200);
  const health = (await response.json()) as {
    status: string;
    versions: Record<string, string>;
    languages: string[];
    workers: number;
  };
  assert.is(health.status, 'ok');
  assert.is(health.workers, 2);
  assert.ok(health.languages.includes('eng'));
  assert.not.ok(health.languages.includes('osd'));
  assert.match(health.versions['ocrmypdf'] ?? '', /^\d/);
  for (const version of Object.values(health.versions)) assert.match(version, /^\d+\.\d+/);
});

test('a path that is not there is not_found, exactly as it is written', async ({ url }) => {
  for (const path of ['/', '/Health', '/health/', '/pages/1', '/..%2fetc', '/%00']) {
    const response = await fetch(`${url}${path}`);
    assert.is(response.status, 404, path);
    assert.is((await errorOf(response)).error, 'not_found');
  }
});

test('a method that is not there is method_not_allowed and names those that are', async ({
  url,
}) => {
  const get = await fetch(`${url}/pages`);
  assert.is(get.status, 405);
  assert.is(get.headers.get('Allow'), 'POST');
  assert.is((await errorOf(get)).error, 'method_not_allowed');
  const remove = await fetch(`${url}/health`, { method: 'DELETE' });
  assert.is(remove.status, 405);
  assert.is(remove.headers.get('Allow'), 'HEAD, GET');
  const unknown = await fetch(`${url}/documents`, { method: 'PROPFIND' });
  assert.is(unknown.status, 501);
  assert.is((await errorOf(unknown)).error, 'not_implemented');
});

test('a body of another type is unsupported_media_type on every route', async ({ url }) => {
  for (const [path, type] of [
    ['/pages', 'application/pdf'],
    ['/pages', 'multipart/form-data; boundary=x'],
    ['/documents', 'image/tiff'],
    ['/documents', 'application/json'],
  ]) {
    const headers = { 'Content-Type': String(type) };
    const response = await fetch(`${url}${path}`, { method: 'POST', body: 'x', headers });
    assert.is(response.status, 415, `${path} ${type}`);
    assert.is((await errorOf(response)).error, 'unsupported_media_type');
  }
});

test('logs a line for each request, probes only at level debug', async ({ url, nextLine }) => {
  const probe = nextLine(/"msg":"request"/);
  await fetch(`${url}/health`);
  const seen = JSON.parse(await probe) as Record<string, unknown>;
  assert.equal([seen['level'], seen['path'], seen['status']], ['debug', '/health', 200]);
  const other = nextLine(/"msg":"request"/);
  await fetch(`${url}/nothing?secret=1`);
  const line = await other;
  assert.match(line, /"level":"info".*"path":"\/nothing","status":404/);
  assert.not.match(line, 'secret');
});

test.run();
