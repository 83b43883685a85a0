import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deployedService, describeDeployed, readDeployedService } from './deployed-service.ts';

const test = suite('the settings of the service that is measured');

const DOCKERFILE = `FROM node AS build
ENV NODE_ENV=development
CMD ["node", "build.ts"]
FROM debian
# ENV COMMENT=1
ENV NODE_ENV=production PORT=8080 \\
    NODE_COMPILE_CACHE=/app/.compiled
ENV GREETING="two words"
HEALTHCHECK --retries=3 \\
    CMD ["bash", "health.sh"]
CMD ["node", "--max-semi-space-size=1", "--env-file=build.env", "service/main.ts"]
`;

test('they are those of the last stage, but for its places', () => {
  assert.equal(deployedService(DOCKERFILE), {
    environment: { NODE_ENV: 'production', GREETING: 'two words' },
    compiled: true,
    nodeOptions: ['--max-semi-space-size=1'],
  });
});

test('a Dockerfile that they cannot be found in is an error', () => {
  const without = (pattern: RegExp): string => DOCKERFILE.replaceAll(pattern, 'RUN true');
  assert.throws(() => deployedService(without(/^ENV .*$/gm)), /has no ENV/);
  assert.throws(() => deployedService(without(/^CMD .*$/gm)), /does not start service\/main\.ts/);
  const other = DOCKERFILE.replace('service/main.ts', 'dist/main.js');
  assert.throws(() => deployedService(other), /does not start service\/main\.ts by node/);
});

test('the image of this project says how it is run, and the figures repeat it', async () => {
  const deployed = await readDeployedService();
  assert.is(deployed.environment['NODE_ENV'], 'production');
  assert.match(describeDeployed(deployed), /^NODE_ENV=production .*node .*service\/main\.ts$/);
});

test.run();
