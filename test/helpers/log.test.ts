import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../helpers/failure.ts';
import { capturedLog } from '../support/captured-log.ts';

const test = suite('the log');

test('is one JSON object a line, with name, level and time', () => {
  const { log, lines } = capturedLog();
  log.child({ scan_id: 'x' }).warn({ page: 3 }, 'a page');
  const [line] = lines();
  assert.is(line?.['name'], 'test');
  assert.is(line?.['level'], 'warn');
  assert.is(line?.['scan_id'], 'x');
  assert.is(line?.['page'], 3);
  assert.is(line?.['msg'], 'a page');
  assert.ok(!Number.isNaN(Date.parse(String(line?.['time']))));
});

test('an error is logged by an allow-list, and so is what caused it', () => {
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

test('what is thrown and is no error cannot break it', () => {
  const { log, lines } = capturedLog();
  log.error({ err: 'text' });
  log.error({ err: null });
  const loop = new Error('loop');
  loop.cause = loop;
  log.error({ err: loop });
  assert.is(lines().length, 3);
});

test.run();
