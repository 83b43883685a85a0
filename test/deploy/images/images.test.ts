import { once } from 'node:events';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import path from 'node:path';
import { programEnvironment, runProgram, type Ended } from '../../../helpers/child-process.ts';
import { serveRequests, type RequestHandlers } from '../../../helpers/ipc/request-server.ts';
import { createLog } from '../../../helpers/log.ts';
import { assert, suite, temporaryDirectory } from '../../support/suite.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../../../deploy/images/write-stamp.ts');
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const OTHER = 'fedcba9876543210fedcba9876543210fedcba98';

/** What the script writes for a git directory with these files. */
async function stampOf(
  files: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
): Promise<Map<string, string>> {
  const temporary = await temporaryDirectory();
  try {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(temporary.path, 'git', name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    const target = path.join(temporary.path, 'build.env');
    const args = [SCRIPT, path.join(temporary.path, 'git'), target];
    const program = { file: process.execPath, args, cwd: '/', env: programEnvironment(variables) };
    const { exitCode, stderr } = await runProgram(program, { timeoutMs: 60_000 });
    assert.is(exitCode, 0, stderr);
    const lines = (await readFile(target, 'utf8')).trimEnd().split('\n');
    return new Map(lines.map((line) => line.split('=') as [string, string]));
  } finally {
    await temporary.remove();
  }
}

const stamp = suite('write-stamp');

const PACKED = `# pack-refs with: peeled\n${OTHER} refs/heads/not-main\n${COMMIT} refs/heads/main\n`;

/** Files of a git directory, variables, and the commit. */
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
  stamp(`writes the commit ${what}`, async () => {
    const stamp = await stampOf(files, given === undefined ? {} : { BUILD_COMMIT: given });
    assert.equal(
      [...stamp.keys()].toSorted(),
      commit === undefined ? ['BUILD_TIME'] : ['BUILD_COMMIT', 'BUILD_TIME'],
    );
    assert.is(stamp.get('BUILD_COMMIT'), commit);
  });
}

stamp('tells when, in UTC and to the second', async () => {
  const time = (await stampOf({})).get('BUILD_TIME') ?? '';
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
});

const ROOT = path.resolve(import.meta.dirname, '../../..');
const IMAGES = ['service', 'scanner', 'processor'];

/** Files of the checkout that a Dockerfile copies for its last stage, relative to the checkout. */
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

/** Programs that a Dockerfile starts: by its command, its health check and the scripts that it writes. */
function startedBy(dockerfile: string): string[] {
  const programs = dockerfile.matchAll(/"([\w./-]+\.ts)"|node \/app\/([\w./-]+\.ts)/gu);
  return [...programs].map(([, program, script = '']) => program ?? script);
}

/** The modules that a program loads, itself included, with all that they load. Types are not loaded. */
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

  modules(`${image}: every module that its programs load is copied`, () => {
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

const DIRECTORY = path.resolve(import.meta.dirname, '../../../deploy/images');

async function check(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Ended> {
  const [file = '', script = '', ...rest] = args;
  const program = {
    file,
    args: [path.join(DIRECTORY, script), ...rest],
    cwd: '/',
    env: programEnvironment(variables),
  };
  return runProgram(program, { timeoutMs: 60_000 });
}

const http = suite('http-health');

async function checkAgainst(answer: RequestListener): Promise<Ended> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? String(address.port) : '';
  try {
    return await check(['bash', 'http-health.sh', '/ready'], { PORT: port });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

http('is healthy when the path answers 200', async () => {
  let asked: string | undefined;
  const ended = await checkAgainst((request, response) => {
    asked = request.url;
    response.end('{}');
  });
  assert.is(ended.exitCode, 0);
  assert.is(asked, '/ready');
});

http('says what came instead of 200', async () => {
  const ended = await checkAgainst((_request, response) => {
    response.writeHead(503).end('{"reason":"no_profiles_loaded"}');
  });
  assert.is(ended.exitCode, 1);
  assert.match(ended.stdout, /^HTTP\/1.1 503 .*no_profiles_loaded/s);
});

http('is not healthy where nobody listens', async () => {
  const ended = await check(['bash', 'http-health.sh', '/ready'], { PORT: '1' });
  assert.is(ended.exitCode, 1);
  assert.match(ended.stderr, /Connection refused/);
});

const scanner = suite('scanner-health');

async function checkRuntime(health: RequestHandlers['health']): Promise<Ended> {
  const temporary = await temporaryDirectory();
  const socket = path.join(temporary.path, 'scanner.sock');
  const refuse = async (): Promise<never> => {
    throw new Error('only the health is asked for');
  };
  const others = { list_devices: refuse, describe_device: refuse, read_sensors: refuse };
  const server = await serveRequests(
    socket,
    { health, ...others, check_scan: refuse, scan: refuse },
    createLog('test', 'silent'),
  );
  try {
    return await check([process.execPath, 'scanner-health.ts'], { SCANNER_SOCKET: socket });
  } finally {
    await server.close();
    await temporary.remove();
  }
}

scanner('is healthy when the runtime answers', async () => {
  assert.is((await checkRuntime(async () => ({ status: 'ok', scanning: [] }))).exitCode, 0);
});

scanner('is not healthy when the runtime does not answer', async () => {
  const ended = await checkRuntime(async (_ask, { signal }) => {
    await once(signal, 'abort');
    return { status: 'ok', scanning: [] };
  });
  assert.is(ended.exitCode, 1);
  assert.is.not(ended.stdout, '');
});

scanner('is not healthy where there is no runtime', async () => {
  const ended = await check([process.execPath, 'scanner-health.ts'], {
    SCANNER_SOCKET: '/nonexistent/scanner.sock',
  });
  assert.is(ended.exitCode, 1);
  assert.match(ended.stdout, /The scanner runtime cannot be reached/);
});
