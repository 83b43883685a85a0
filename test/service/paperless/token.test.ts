import { assert, withFixture } from '../../support/suite.ts';
import { createBench, errorOf, leaksOf, SENTINEL } from './upload/delivery-bench.ts';

const test = withFixture('the token of a destination', () => createBench());

test('each destination has the token that it names', async ({ dms, deliver, destination }) => {
  const asked: string[] = [];
  const readSecret = async (name: string): Promise<string> => {
    asked.push(name);
    return 'wrong';
  };
  const delivery = await deliver({
    destination: destination({ token_secret: 'second_token' }),
    readSecret,
  });
  assert.equal(asked, ['second_token']);
  assert.is(
    errorOf(delivery),
    'The API token was refused (401 Invalid token). Check the secret second_token.',
  );
  assert.is(dms.uploads()[0]?.headers.authorization, 'Token wrong');
});

test('a token may stand as the examples of the API show it', async ({ dms, deliver, captured }) => {
  const delivery = await deliver({ readSecret: async () => `Authorization: Token ${SENTINEL}` });
  assert.is(dms.uploads()[0]?.headers.authorization, `Token ${SENTINEL}`);
  assert.equal(leaksOf([JSON.stringify(delivery), captured.text()], SENTINEL), []);
});

for (const token of ['two words', 'line\nbreak', 'Größe', `Bearer ${SENTINEL}`, '\u0000']) {
  test(`a token like ${JSON.stringify(token.slice(0, 9))} is neither sent nor shown`, async ({
    dms,
    deliver,
    captured,
  }) => {
    const delivery = await deliver({ readSecret: async () => token });
    assert.is(
      errorOf(delivery),
      'The secret dms_api_token holds more than a token. Store only the token in it.',
    );
    assert.is(delivery.outcome, 'refused');
    assert.is(dms.uploads().length, 0);
    assert.equal(leaksOf([errorOf(delivery), captured.text()], token), []);
  });
}

test('a token in the profile is not shown', async ({ dms, deliver, destination, captured }) => {
  const token = '0123456789abcdef0123456789abcdef01234567';
  const delivery = await deliver({
    destination: destination({ token_secret: token }),
    readSecret: async (name) => {
      throw new Error(`/run/secrets/${name} is a directory`);
    },
  });
  assert.match(
    errorOf(delivery),
    /^The token_secret of this destination is not the name of a secret/,
  );
  assert.is(delivery.outcome, 'refused');
  assert.is(dms.uploads().length, 0);
  assert.equal(leaksOf([errorOf(delivery), captured.text()], token), []);
});

test('a secret that cannot be read is an entry with the reason', async ({ deliver }) => {
  const delivery = await deliver({
    readSecret: async () => {
      throw new Error('/run/secrets/dms_api_token is a directory');
    },
  });
  assert.is(
    errorOf(delivery),
    'The token cannot be read. Correct its file. (/run/secrets/dms_api_token is a directory)',
  );
});
