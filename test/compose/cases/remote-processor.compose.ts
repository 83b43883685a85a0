import { attach, until } from '../appliance.ts';
import { CHECKOUT } from '../composition.ts';
import { program } from '../../debian/programs.ts';
import { assert, suite } from '../../support/suite.ts';

const STARTED_MS = 120_000;
const ADDRESS = '127.0.13.20';

const test = suite('a processor on another machine');
const { facts } = await attach();

/** Acts like `docker compose` on another machine that also uses `file` of deploy/operations. */
async function compose(file: string, ...args: string[]): Promise<string[]> {
  const project = ['--project-name', `${facts.project}-other`];
  const files = ['--file', 'docker-compose.yml', '--file', `deploy/operations/${file}`];
  const env = { ...facts.environment, PROCESSOR_ADDRESS: ADDRESS };
  const command = [...facts.commands.compose, ...project, ...files, ...args] as const;
  const printed = await program(command, { cwd: CHECKOUT, env });
  return printed.split('\n').filter((line) => line !== '');
}

test('the other machine runs only the processor, at the given address', async () => {
  try {
    await compose('processor-only.yml', 'up', '--detach', '--no-build');
    assert.equal(await compose('processor-only.yml', 'ps', '--all', '--services'), ['processor']);
    await until(STARTED_MS, 'the processor to answer', async () =>
      fetch(`http://${ADDRESS}:8081/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    const published = await compose('processor-only.yml', 'port', 'processor', '8081');
    assert.equal(published, [`${ADDRESS}:8081`]);
  } finally {
    await compose('processor-only.yml', 'down', '--volumes');
  }
});

test('the scan machine runs no processor and does not wait for one', async () => {
  const services = await compose('remote-processor.yml', 'config', '--services');
  assert.equal(services.toSorted(), ['prepare', 'scanner', 'service']);
});
