import { createWrongTokens } from '../../../service/http/wrong-tokens.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('the limit of wrong tokens');

function brake(): {
  readonly send: (address: string, count: number) => void;
  readonly isOpen: (address: string) => boolean;
  readonly pass: (seconds: number) => void;
} {
  let time = 0;
  const wrong = createWrongTokens(() => time);
  return {
    send: (address, count) => {
      for (let one = 0; one < count; one += 1) wrong.count(address, `guess ${one}`);
    },
    isOpen: (address) => {
      try {
        wrong.check(address);
        return true;
      } catch {
        return false;
      }
    },
    pass: (seconds) => void (time += seconds * 1000),
  };
}

test('counts each address separately, for a minute', () => {
  const { send, isOpen, pass } = brake();
  send('192.0.2.1', 10);
  assert.not(isOpen('192.0.2.1'));
  assert.ok(isOpen('192.0.2.2'));
  pass(59);
  assert.not(isOpen('192.0.2.1'));
  pass(1);
  assert.ok(isOpen('192.0.2.1'));
});

test('counts the same token once', () => {
  const { send, isOpen } = brake();
  for (let call = 0; call < 5; call += 1) send('192.0.2.1', 9);
  assert.ok(isOpen('192.0.2.1'));
});

test('forgets the first of more than 1000 addresses', () => {
  const { send, isOpen } = brake();
  send('first', 10);
  send('second', 10);
  for (let other = 0; other < 999; other += 1) send(`other ${other}`, 1);
  assert.ok(isOpen('first'), 'forgotten');
  assert.not(isOpen('second'));
});
