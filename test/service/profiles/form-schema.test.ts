import { formProfileSchema } from '../../../service/profiles/form-schema.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('the form of a profile');

const problemOf = (destinations: unknown): string =>
  formProfileSchema.validate({ label: 'Post', destinations }).error?.message ?? 'none';

test('two destinations, and too many tags, each have their own message', () => {
  const tags = Array.from({ length: 1000 }, (_, one) => `tag ${one}`);
  assert.match(problemOf([{ kind: 'dms' }, { kind: 'dms' }]), /must have Paperless-ngx once/);
  assert.match(problemOf([{ kind: 'dms', tags }]), /tags" must be a list of at most \d+ names/);
  assert.is(problemOf([{ kind: 'dms', tags: tags.slice(0, 3) }]), 'none');
  assert.is(problemOf([]), 'none');
});
