import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DMS_TOKEN, withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { shippedPage } from '../support/pages.ts';
import { commandLinesBelow } from '../support/processes.ts';
import { formsOf } from '../support/secret-forms.ts';
import { sendTo } from '../support/send-to.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite<{ appliance: Appliance }>('secrets');

const CALLER_TOKEN = 'ca11e7-70ce0-5en71ne1-0123456789';

const QUICK = { source: 'ADF', resolution: 100, processing: { ocr: false } };

withAppliance(test, {
  profiles: [
    { name: 'default', ...QUICK },
    { name: 'read', ...QUICK, processing: {} },
    { name: 'hasty', ...QUICK, timeout_seconds: 5 },
  ],
  serviceEnvironment: { SCAN_API_TOKEN: CALLER_TOKEN },
});

const PAGE = shippedPage('blank-back-plain').file;

test('never appear in logs, answers, files or command lines', async ({ appliance }) => {
  const seen: [string, string][] = [];
  const scan = async (profile = 'default'): Promise<void> => {
    appliance.scanner.load([PAGE]);
    const answer = await sendTo(appliance.service.port(), {
      method: 'POST',
      path: '/scan',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${CALLER_TOKEN}` },
      body: JSON.stringify({ profile }),
    });
    seen.push(
      ['an answer', answer.text],
      ['headers of an answer', JSON.stringify(answer.headers)],
      ['a command line', commandLinesBelow()],
    );
  };

  await scan('read');
  assert.match(seen[0]?.[1] ?? '', /"status":"submitted"/);

  const faults: Parameters<Appliance['dms']['setFault']>[0][] = [
    { kind: 'answer', status: 401, body: `{"detail":"Invalid token ${DMS_TOKEN}"}` },
    { kind: 'answer', status: 400, body: '{"tags":["no"]}' },
    { kind: 'answer', status: 500, body: 'broken' },
    { kind: 'answer', status: 200, body: `"echo ${DMS_TOKEN}"` },
    { kind: 'redirect_to_self' },
    { kind: 'reset', when: 'mid_body' },
    { kind: 'reset', when: 'after_body' },
    { kind: 'hang', when: 'before_body' },
    { kind: 'hang', when: 'after_body' },
  ];
  for (const fault of faults) {
    appliance.dms.setFault(fault);
    await scan(fault?.kind === 'hang' ? 'hasty' : 'default');
    appliance.dms.setFault(undefined);
  }
  for (const fault of ['jam', 'emptyLate'] as const) {
    appliance.scanner.setFault({ kind: fault });
    await scan();
    appliance.scanner.setFault(null);
  }
  await writeFile(path.join(appliance.directory, 'secrets/dms_api_token'), `${DMS_TOKEN} and more`);
  await scan();
  assert.match(seen.at(-3)?.[1] ?? '', /The secret dms_api_token holds more than a token/);
  await writeFile(path.join(appliance.directory, 'secrets/dms_api_token'), DMS_TOKEN);
  await scan();
  assert.match(seen.at(-3)?.[1] ?? '', /"status":"submitted"/, 'it is read at each delivery');
  await appliance.processor.stop();
  await scan();
  await appliance.processor.start();

  for (const part of [appliance.service, appliance.runtime, appliance.processor]) {
    assert.ok(part.output().length > 100, `${part.name} logs at level trace`);
    seen.push([`the log of ${part.name}`, part.output()]);
  }
  const names = await readdir(appliance.scansDir, { recursive: true });
  const texts = names.filter((name) => /(?:events\.jsonl|scan\.json)$/.test(name));
  assert.ok(texts.length > 2 * faults.length, texts.join());
  for (const name of texts) {
    seen.push([name, await readFile(path.join(appliance.scansDir, name), 'utf8')]);
  }
  for (const form of [...formsOf(DMS_TOKEN), ...formsOf(CALLER_TOKEN)]) {
    for (const [where, text] of seen) assert.not.ok(text.includes(form), `${form} in ${where}`);
  }
});

test('a caller without the token learns and starts nothing', async ({ appliance }) => {
  appliance.scanner.load([PAGE]);
  const fed = appliance.scanner.state.sheetsFed;
  const answer = await appliance.scan({});
  assert.is(answer.status, 401);
  assert.is(answer.json?.['error'], 'unauthorized');
  assert.is(appliance.scanner.state.sheetsFed, fed);
});
