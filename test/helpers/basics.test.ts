import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import Joi from 'joi';
import { errorCode } from '../../helpers/error-code.ts';
import { CATALOGUE, Failure, isFailureCode } from '../../helpers/failure.ts';
import { freeBytes } from '../../helpers/free-bytes.ts';
import { poll } from '../../helpers/poll.ts';
import { parseJson, readJson } from '../../helpers/read-json.ts';
import { capturedLog } from '../support/captured-log.ts';
import { assert, rejection, suite, within } from '../support/suite.ts';

const failures = suite('failures');

failures('carry code, status, both sentences, facts and cause', () => {
  const cause = new Error('low level');
  const [what, remedy] = ['The feeder is empty.', 'Put paper in.'];
  const failure = new Failure('no_documents', what, { remedy, facts: { a: 1 }, cause });
  const { code, status, message, facts, name } = failure.withFacts({ a: 2, b: 3 });
  assert.equal([code, status, name], ['no_documents', 422, 'Failure']);
  assert.is(message, `${what} ${remedy}`);
  assert.equal(facts, { a: 1, b: 3 });
  assert.is(failure.cause, cause);
  assert.equal([failure.what, failure.remedy], [what, remedy]);
});

failures('need neither a remedy nor facts nor a cause', () => {
  const failure = new Failure('timeout', 'late');
  assert.equal([failure.message, failure.facts, 'cause' in failure], ['late', {}, false]);
});

failures('codes from elsewhere are known only when they are in the catalogue', () => {
  for (const code of Object.keys(CATALOGUE)) assert.ok(isFailureCode(code));
  for (const code of ['__proto__', 'toString', 'nonsense', '', undefined, 5]) {
    assert.not.ok(isFailureCode(code));
  }
});

const codes = suite('the code of an error');

codes('is that of the system, and undefined where there is none', async () => {
  assert.is(errorCode(await rejection(access('/nonexistent'))), 'ENOENT');
  for (const error of [new Error('x'), { code: 'ENOENT' }, 'ENOENT', undefined]) {
    assert.is(errorCode(error), undefined);
  }
});

const logs = suite('the log');

logs('is one JSON object a line, with name, level and time', () => {
  const { log, lines } = capturedLog();
  log.child({ scan_id: 'x' }).warn({ page: 3 }, 'a page');
  const [line] = lines();
  const said = { name: 'test', level: 'warn', scan_id: 'x', page: 3, msg: 'a page' };
  assert.equal({ ...line, ...said }, line);
  assert.ok(!Number.isNaN(Date.parse(String(line?.['time']))));
});

logs('an error is logged by an allow-list, and so is what caused it', () => {
  const { log, text, lines } = capturedLog();
  const low = Object.assign(new Error('refused'), {
    code: 'ECONNREFUSED',
    options: { headers: { authorization: 'Token very-secret' } },
  });
  log.error(
    { err: new Failure('processor_unreachable', 'no processor', { cause: low }) },
    'failed',
  );
  log.error({ error: low });
  assert.not.match(text(), /very-secret/);
  const err = lines()[0]?.['err'] as Record<string, unknown>;
  assert.is(err['code'], 'processor_unreachable');
  assert.is(err['stack'], undefined, 'an expected failure needs no stack');
  assert.is((err['cause'] as Record<string, unknown>)['code'], 'ECONNREFUSED');
});

logs('what is thrown and is no error cannot break it', () => {
  const { log, lines } = capturedLog();
  log.error({ err: 'text' });
  log.error({ err: null });
  const loop = new Error('loop');
  loop.cause = loop;
  log.error({ err: loop });
  assert.is(lines().length, 3);
});

const json = suite('JSON of others');

const schema = Joi.object<{ pages: number }>({ pages: Joi.number().required() });

json('is read as it is where it fits, otherwise undefined, and nothing is converted', () => {
  assert.equal(readJson('{"pages":3}', schema), { pages: 3 });
  for (const text of ['{"pages":"3"}', '{}', 'null', '[]', '"{\\"pages\\":3}"', '{"pages":', '']) {
    assert.is(readJson(text, schema), undefined, text);
  }
});

json('without a schema is whatever the text holds', () => {
  assert.equal(parseJson('[1]'), [1]);
  assert.is(parseJson('null'), null);
  assert.is(parseJson('<html>'), undefined);
});

const space = suite('free bytes');

space('are those of the file system', async () => {
  assert.ok((await freeBytes(tmpdir())) > 0);
  assert.is(await freeBytes('/proc'), 0);
});

const polls = suite('looking at something every so often');

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

polls(
  'has looked once when it begins; a look that fails is reported, and leaves what was found before',
  async () => {
    let looks = 0;
    const errors: unknown[] = [];
    const { promise: fourth, resolve } = Promise.withResolvers<void>();
    const look = async (): Promise<number> => {
      looks += 1;
      if (looks === 2) throw new Error('broken');
      if (looks === 4) resolve();
      return looks;
    };
    const polled = await poll({ look, everyMs: 5, onError: (error) => errors.push(error) });
    assert.is(polled.value(), 1);
    await within(EVENT_MS, fourth, 'the fourth look');
    polled.close();
    assert.match(String(errors), /broken/);
    assert.ok(Number(polled.value()) >= 3);
    const before = looks;
    await new Promise((passed) => setTimeout(passed, 50));
    assert.is(looks, before, 'none after the end');
  },
);

polls('a look that hangs is the only one, and delays the start for a moment only', async () => {
  let looks = 0;
  const look = (): Promise<never> => new Promise(() => (looks += 1));
  const onError = (error: unknown): never => assert.unreachable(String(error)) as never;
  const started = poll({ look, everyMs: 1, firstMs: 50, onError });
  const polled = await within(EVENT_MS, started, 'the start');
  assert.is(looks, 1);
  assert.is(polled.value(), undefined);
  polled.close();
});
