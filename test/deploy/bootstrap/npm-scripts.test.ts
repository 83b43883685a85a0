import { readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import path from 'node:path';
import { stillAlive } from '../../support/processes.ts';
import { assert, rejection, withFixture } from '../../support/suite.ts';
import { createBootstrapCheckout } from './real-npm.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../../..');

/** Runs until it is stopped, like the demo and the service. */
const SERVER = `
  import { createServer } from 'node:net';
  const server = createServer().listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify({ pid: process.pid, port: server.address().port }));
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
`;

interface Server {
  readonly pid: number;
  readonly port: number;
}

const test = withFixture('scripts of package.json', async (directory) => {
  const checkout = await createBootstrapCheckout(directory);
  for (const target of ['deploy/demo/main.ts', 'service/main.ts'])
    await checkout.write(target, SERVER);
  const started: number[] = [];
  return {
    start: async (script: string) => {
      const npm = checkout.start(['npm', 'run', script]);
      const printed = await npm.printed('}\n');
      const server = JSON.parse(/\{.*\}/u.exec(printed)?.[0] ?? '') as Server;
      started.push(server.pid);
      return { npm, server };
    },
    close: async () => {
      for (const pid of await stillAlive(started)) process.kill(pid, 'SIGKILL');
    },
  };
});

for (const script of ['demo', 'start']) {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal} to npm alone ends "npm run ${script}" with its port`, async ({ start }) => {
      const { npm, server } = await start(script);
      npm.child.kill(signal);
      // npm's output closes only after the server has ended.
      await npm.ended();
      assert.equal(await stillAlive([server.pid]), []);
      assert.match(String(await rejection(connect(server.port))), /ECONNREFUSED/u);
    });
  }
}

test('every script replaces its shell, which would not forward signals', async () => {
  const text = await readFile(path.join(CHECKOUT, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(text) as { scripts: Record<string, string> };
  const others = Object.entries(scripts).filter(([, command]) => !command.startsWith('exec '));
  assert.equal(others, []);
});

async function connect(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
