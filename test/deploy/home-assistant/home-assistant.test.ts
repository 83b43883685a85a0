import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { load } from 'js-yaml';
import { Failure } from '../../../helpers/failure.ts';
import { createNotifier } from '../../../service/notification/notifier.ts';
import { feedPages } from '../../support/scan-parts.ts';
import { sendTo, type TestAnswer } from '../../support/send-to.ts';
import { serve } from '../../support/serve.ts';
import { assert, EVENT_MS, withFixture, within } from '../../support/suite.ts';
import { createWatchedService } from '../terminal/watched-service.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../deploy/home-assistant');

const test = withFixture('Home Assistant', createWatchedService);

interface Call {
  readonly service: string;
  readonly data: Readonly<Record<string, string>>;
}

/** The script's three steps: the texts used without an answer, the request and the notification. */
type Sequence = readonly [{ readonly variables: { readonly answer: object } }, object, Call];

interface Package {
  readonly rest_command: {
    readonly scan_service_scan: {
      readonly url: string;
      readonly method: string;
      readonly content_type: string;
      readonly timeout: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly payload: string;
    };
  };
  readonly rest: readonly {
    readonly resource: string;
    readonly binary_sensor?: readonly { readonly value_template: string }[];
    readonly sensor?: readonly {
      readonly value_template: string;
      readonly json_attributes: readonly string[];
    }[];
  }[];
  readonly script: {
    readonly scan_service_scan: { readonly fields: object; readonly sequence: Sequence };
  };
  readonly automation: readonly { readonly action: readonly Call[] }[];
}

async function readYaml<T>(name: string): Promise<T> {
  const content = await readFile(path.join(FOLDER, name), 'utf8');
  // `!input` is a YAML tag of Home Assistant, which this parser does not know.
  return load(content.replaceAll(/!input (\w+)/g, "'input $1'")) as T;
}

const shipped = await readYaml<Package>('scan_service.yaml');

const renderer = spawn('python3', [path.join(import.meta.dirname, 'render.py')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const rendered = createInterface(renderer.stdout)[Symbol.asyncIterator]();

/** Rejects if the template uses undefined values, which end the renderer. */
async function render(template: string, variables: object): Promise<string> {
  renderer.stdin.write(`${JSON.stringify({ template, variables })}\n`);
  const { value, done } = await within(EVENT_MS, rendered.next(), 'a rendered template');
  if (done === true) throw new Error(`cannot be rendered: ${template}`);
  return JSON.parse(value) as string;
}

const [unanswered, , notification] = shipped.script.scan_service_scan.sequence;

async function shown(variables: object): Promise<{ title: string; message: string }> {
  return {
    title: await render(notification.data['title'] ?? '', variables),
    message: await render(notification.data['message'] ?? '', variables),
  };
}

function notified({ status, json }: TestAnswer): Promise<{ title: string; message: string }> {
  return shown({ answer: { status, content: json } });
}

async function press(port: number, key: string, profile = 'default'): Promise<TestAnswer> {
  const { url, method, content_type, headers, payload } = shipped.rest_command.scan_service_scan;
  const [[name, template] = ['', '']] = Object.entries(headers);
  return sendTo(port, {
    method: method.toUpperCase(),
    path: new URL(url).pathname,
    headers: { [name]: await render(template, { key }), 'Content-Type': content_type },
    body: await render(payload, { profile }),
  });
}

test('a press scans once, and the script says how it ended', async ({ bench, start, port }) => {
  await start({ feed: feedPages(2) });
  const first = await press(port(), 'one');
  assert.is(first.status, 200);
  assert.equal((await press(port(), 'one')).json, first.json);
  assert.equal(await notified(first), {
    title: 'Scan finished',
    message: 'Pages: 2, documents: 1.',
  });

  bench.dms.setFault({ kind: 'answer', status: 401 });
  const refused = await notified(await press(port(), 'two'));
  assert.is(refused.title, 'Scan finished, but a delivery failed');
  assert.match(refused.message, /^Pages: 2, documents: 1\.\s+The API token/);

  const unknown = await notified(await press(port(), 'three', 'nonsense'));
  assert.is(unknown.title, 'Scan failed');
  assert.match(unknown.message, 'nonsense');

  await start({ feed: feedPages(1, new Failure('scanner_jammed', 'Paper is stuck.')) });
  const jammed = await notified(await press(port(), 'four'));
  assert.match(jammed.message, /^Paper is stuck\. 1 page is stored/);
});

test('the script reports a missing answer', async () => {
  const { title, message } = await shown(unanswered.variables);
  assert.is(title, 'Scan failed');
  assert.match(message, /^The scan service did not answer\. /);
});

test('the sensors understand real answers', async ({ start, port }) => {
  await start({ feed: feedPages(1) });
  for (const { resource, binary_sensor = [], sensor = [] } of shipped.rest) {
    const { pathname, search } = new URL(resource);
    const ask = async (): Promise<object> => ({
      value_json: (await sendTo(port(), { path: pathname + search })).json,
    });
    for (const { value_template } of binary_sensor) {
      assert.is(await render(value_template, await ask()), 'True');
    }
    for (const { value_template, json_attributes } of sensor) {
      const refused = { value_json: { error: 'unauthorized' } };
      assert.is(await render(value_template, refused), 'unknown');
      assert.is(await render(value_template, await ask()), 'none');
      await press(port(), 'one');
      const answer = (await ask()) as { value_json: { scans: readonly object[] } };
      assert.is(await render(value_template, answer), 'finished');
      const [scan = {}] = answer.value_json.scans;
      for (const name of json_attributes) assert.ok(name in scan, name);
    }
  }
});

test('a webhook shows the notification of the service', async ({ bench }) => {
  const received = Promise.withResolvers<unknown>();
  const server = await serve((request, response) => {
    received.resolve(text(request).then((body) => JSON.parse(body) as unknown));
    response.end();
  });
  const url = `${server.url}/api/webhook/x`;
  const { listener } = createNotifier({
    settings: { url, on: 'all', topic: undefined, publicUrl: undefined },
    readSecret: () => Promise.resolve(undefined),
    onOutcome: () => {},
    log: bench.logged.log,
  });
  const { scans } = await bench.start({ feed: feedPages(1) }, { listener });
  await scans.scan(bench.call());
  const trigger = { json: await within(EVENT_MS, received.promise, 'the notification') };
  await server.close();
  const [call] = shipped.automation[0]?.action ?? [];
  assert.is(await render(call?.data['title'] ?? '', { trigger }), 'Scan finished');
  const message = await render(call?.data['message'] ?? '', { trigger });
  assert.match(message, /^default [-\d]+ [:\d]+: 1 page, 1 document, all delivered\.$/u);
});

test('the package has no empty mappings, which Home Assistant drops', () => {
  const empty = (value: unknown, at: string): string[] => {
    if (typeof value !== 'object' || value === null) return [];
    const entries = Object.entries(value);
    if (entries.length === 0) return [at];
    return entries.flatMap(([name, inside]) => empty(inside, `${at}.${name}`));
  };
  assert.equal(empty(shipped, ''), []);
});

test('the blueprint calls the script of the package with its inputs', async () => {
  const { blueprint, action, trigger } = await readYaml<{
    blueprint: { domain: string; input: object };
    action: readonly Call[];
    trigger: readonly { entity_id: string }[];
  }>('scan_button.yaml');
  assert.is(blueprint.domain, 'automation');
  assert.equal(Object.keys(blueprint.input), ['button', 'profile']);
  assert.is(trigger[0]?.entity_id, 'input button');
  const [script = '', name = ''] = action[0]?.service.split('.') ?? [];
  assert.ok(name in shipped.script && script === 'script');
  assert.equal(action[0]?.data, { profile: 'input profile' });
  assert.equal(Object.keys(shipped.script.scan_service_scan.fields), ['profile']);
});

test('a press starts a scan; an entity that appears or is restored does not', async () => {
  const { condition } = await readYaml<{ condition: readonly { value_template: string }[] }>(
    'scan_button.yaml',
  );
  const now = new Date().toISOString();
  const pressed = (from: string | undefined, to: string): Promise<string> => {
    const trigger = {
      from_state: from === undefined ? null : { state: from },
      to_state: { state: to },
    };
    return render(condition[0]?.value_template ?? '', { trigger });
  };
  assert.is(await pressed('2026-01-02T03:04:05.678901+00:00', now), 'True');
  assert.is(await pressed('off', 'on'), 'True');
  for (const none of [undefined, 'unknown', 'unavailable']) {
    assert.is(await pressed(none, now), 'True', none);
    assert.is(await pressed(none, '2026-01-02T03:04:05.678901+00:00'), 'False', none);
    assert.is(await pressed(none, 'on'), 'False', none);
  }
});

test.after(async () => {
  renderer.stdin.end();
  await once(renderer, 'close');
});
