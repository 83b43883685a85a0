import { availableParallelism } from 'node:os';
import { readEnvironment } from '../../../helpers/processor/environment.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('the settings of the processor');

test('has defaults that listen on loopback only and use every core', () => {
  const workers = availableParallelism();
  const expected = { host: '127.0.0.1', port: 8081, workers, logLevel: 'info', allowedHosts: [] };
  assert.equal(readEnvironment({}), expected);
  assert.equal(readEnvironment({ HOST: '', PORT: '', WORKERS: '', LOG_LEVEL: '' }), expected);
});

test('takes what is given, and is frozen', () => {
  const environment = readEnvironment({
    HOST: '0.0.0.0',
    PORT: '0',
    WORKERS: '3',
    LOG_LEVEL: 'debug',
    ALLOWED_HOSTS: 'OCR.example, b,',
    OTHER: 'x',
  });
  assert.equal(environment, {
    host: '0.0.0.0',
    port: 0,
    workers: 3,
    logLevel: 'debug',
    allowedHosts: ['ocr.example', 'b'],
  });
  assert.ok(Object.isFrozen(environment));
});

test('names every wrong variable at once', () => {
  const wrong = { PORT: '70000', WORKERS: '0', LOG_LEVEL: 'loud' };
  assert.throws(() => readEnvironment(wrong), /PORT.*WORKERS.*LOG_LEVEL/s);
  assert.throws(() => readEnvironment({ WORKERS: '1.5' }), /WORKERS.*integer/);
});
