import { once } from 'node:events';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Ended } from '../../../helpers/child-process.ts';
import { serveRequests, type RequestHandlers } from '../../../helpers/ipc/request-server.ts';
import { createLog } from '../../../helpers/log.ts';
import { run, runScript } from '../../support/programs.ts';
import { serve } from '../../support/serve.ts';
import { assert, inDirectory, suite, withFixture } from '../../support/suite.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const OTHER = 'fedcba9876543210fedcba9876543210fedcba98';

const stamp = withFixture('write-stamp', async (directory) => ({
  stampOf: async (files: Record<string, string>, given = {}): Promise<Map<string, string>> => {
    const [git, target] = [path.join(directory, 'git'), path.join(directory, 'build.env')];
    for (const [name, content] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(git, name)), { recursive: true });
      await writeFile(path.join(git, name), content);
    }
    const { exitCode, stderr } = await runScript(
      'deploy/images/write-stamp.ts',
      [git, target],
      given,
    );
    assert.is(exitCode, 0, stderr);
    const lines = (await readFile(target, 'utf8')).trimEnd().split('\n');
    return new Map(lines.map((line) => line.split('=') as [string, string]));
  },
}));

const PACKED = `# pack-refs with: peeled\n${OTHER} refs/heads/not-main\n${COMMIT} refs/heads/main\n`;

const COMMITS: Readonly<
  Record<string, readonly [files: Record<string, string>, commit?: string, given?: string]>
> = {
  'of a branch, before what git has packed': [
    {
      HEAD: 'ref: refs/heads/feature/one\n',
      'refs/heads/feature/one': `${COMMIT}\n`,
      'packed-refs': `${OTHER} refs/heads/feature/one\n`,
    },
    COMMIT,
  ],
  'of a branch that git has packed': [
    { HEAD: 'ref: refs/heads/main\n', 'packed-refs': PACKED },
    COMMIT,
  ],
  'of a detached HEAD': [{ HEAD: `${COMMIT}\n` }, COMMIT],
  'that is given, before all others': [{ HEAD: `${COMMIT}\n` }, OTHER, OTHER],
  'left out, where there is no git directory': [{}],
  'left out, where the branch has none yet': [{ HEAD: 'ref: refs/heads/main\n' }],
};

for (const [what, [files, commit, given]] of Object.entries(COMMITS)) {
  stamp(`writes the commit ${what}`, async ({ stampOf }) => {
    const written = await stampOf(files, given === undefined ? {} : { BUILD_COMMIT: given });
    assert.ok(written.delete('BUILD_TIME'));
    assert.equal([...written], commit === undefined ? [] : [['BUILD_COMMIT', commit]]);
  });
}

stamp('writes the time in UTC to the second', async ({ stampOf }) => {
  const time = (await stampOf({})).get('BUILD_TIME') ?? '';
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
});

const ROOT = path.resolve(import.meta.dirname, '../../..');
const IMAGES = ['service', 'scanner', 'processor'];

/** Files of the checkout that a Dockerfile copies into its last stage. */
function copiedInto(dockerfile: string): Set<string> {
  const sources = /^FROM \S+ AS sources$.*?^FROM /msu.exec(dockerfile)?.[0] ?? '';
  const files = [...sources.matchAll(/^COPY (?!--)(.+) \S+$/gmu)].flatMap(([, sources = '']) =>
    sources.split(' ').flatMap((source) => globSync(source, { cwd: ROOT })),
  );
  return new Set(files.flatMap(below));
}

function below(name: string): string[] {
  const found = path.join(ROOT, name);
  if (!statSync(found).isDirectory()) return [name];
  return globSync('**/*', { cwd: found }).map((inside) => path.join(name, inside));
}

function startedBy(dockerfile: string): string[] {
  const programs = dockerfile.matchAll(/"([\w./-]+\.ts)"|node \/app\/([\w./-]+\.ts)/gu);
  return [...programs].map(([, program, script = '']) => program ?? script);
}

/** The modules a program loads, including itself. Types are not loaded. */
function loadedBy(program: string, seen = new Set<string>()): Set<string> {
  if (seen.has(program)) return seen;
  seen.add(program);
  const text = readFileSync(path.join(ROOT, program), 'utf8');
  const imports = /^(?:import|export) (?!type )(?:[^;'"]*from )?'(\.[^']+)'/gmu;
  for (const [, name = ''] of text.matchAll(imports)) {
    loadedBy(path.join(path.dirname(program), name), seen);
  }
  return seen;
}

const modules = suite('the files of each image');

for (const image of IMAGES) {
  const dockerfile = readFileSync(path.join(ROOT, `Dockerfile.${image}`), 'utf8');

  modules(`${image}: includes every module that its programs load`, () => {
    const programs = startedBy(dockerfile);
    const copied = copiedInto(dockerfile);
    assert.ok(programs.length > 0);
    for (const program of programs) {
      assert.ok(existsSync(path.join(ROOT, program)), program);
      const missing = [...loadedBy(program)].filter((module) => !copied.has(module));
      assert.equal(missing, [], `${program} loads what is not copied`);
    }
  });
}

const http = suite('http-health');

const HTTP_HEALTH = path.join(ROOT, 'deploy/images/http-health.sh');
const checkPort = (port: number): Promise<Ended> =>
  run('bash', [HTTP_HEALTH, '/ready'], { env: { PORT: String(port) } });

http('is healthy if the path answers 200; otherwise reports the answer', async () => {
  const asked: string[] = [];
  const { port, close } = await serve(({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(asked.length === 1 ? 200 : 503).end('{"reason":"no_profiles_loaded"}');
  });
  assert.is((await checkPort(port)).exitCode, 0);
  const refused = await checkPort(port);
  await close();
  assert.equal(asked, ['/ready', '/ready']);
  assert.is(refused.exitCode, 1);
  assert.match(refused.stdout, /^HTTP\/1.1 503 .*no_profiles_loaded/s);
});

http('is unhealthy if nothing listens', async () => {
  const ended = await checkPort(1);
  assert.is(ended.exitCode, 1);
  assert.match(ended.stderr, /Connection refused/);
});

const scanner = inDirectory('scanner-health');

async function checkRuntime(socket: string, health?: RequestHandlers['health']): Promise<Ended> {
  const check = (): Promise<Ended> =>
    runScript('deploy/images/scanner-health.ts', [], { SCANNER_SOCKET: socket });
  if (health === undefined) return check();
  const refuse = (): Promise<never> => Promise.reject(new Error('only the health is asked for'));
  const others = { list_devices: refuse, describe_device: refuse, read_sensors: refuse };
  const handlers = { health, ...others, check_scan: refuse, scan: refuse };
  const server = await serveRequests(socket, handlers, createLog('test', 'silent'));
  const ended = await check();
  await server.close();
  return ended;
}

const OK = { status: 'ok', scanning: [] } as const;

scanner('is healthy only when the runtime answers', async ({ file }) => {
  const socket = file('scanner.sock');
  assert.is((await checkRuntime(socket, async () => OK)).exitCode, 0);
  const silent = await checkRuntime(socket, async (_ask, { signal }) => {
    await once(signal, 'abort');
    return OK;
  });
  assert.is(silent.exitCode, 1);
  assert.is.not(silent.stdout, '');
  const missing = await checkRuntime(socket);
  assert.is(missing.exitCode, 1);
  assert.match(missing.stdout, /The scanner runtime cannot be reached/);
});
