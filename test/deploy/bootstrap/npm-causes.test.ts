/** The messages of set-up when the real npm cannot install, even if npm itself reports success. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { throwIfKnown } from '../../../deploy/bootstrap/causes.mjs';
import { serve } from '../../support/serve.ts';
import { outputOf } from '../../support/programs.ts';
import { assert, withFixture } from '../../support/suite.ts';
import { createBootstrapCheckout } from './real-npm.ts';

const CHECK = ['deploy/bootstrap/run.mjs', 'test/check.ts'] as const;
const PACKAGE_BYTES = 4 * 1024 * 1024;

/** Mounts a small disk with the content of the checkout ($1) over it, and runs the rest there. */
const SMALL_DISK = `cp -r "$1" "$1.full" && mount -t tmpfs -o size=2m tmpfs "$1" && cp -r "$1.full/." "$1" && cd "$1" && shift && exec "$@"`;

/** Runs the command again with the leftovers of the first attempt. */
const TWICE = '"$@"; exec "$@"';

/** The package is optional, so npm silently skips it if it is unavailable. */
function lockfileWith(resolved: string): string {
  const binary = { version: '1.0.0', resolved, optional: true, os: ['linux'], cpu: [process.arch] };
  return JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { optionalDependencies: { binary: '1.0.0' } },
      'node_modules/binary': binary,
    },
  });
}

/** A loopback registry whose only package is larger than the small disk. */
const test = withFixture('why npm could not install', async (directory) => {
  const checkout = await createBootstrapCheckout(directory);
  const { name, version } = { name: 'binary', version: '1.0.0' };
  const json = JSON.stringify({ name, version, optionalDependencies: { binary: '1.0.0' } });
  await checkout.write('package.json', json);
  await checkout.write('test/check.ts', "console.log('it runs');\n");
  await mkdir(path.join(directory, 'package'));
  await writeFile(path.join(directory, 'package/large'), randomBytes(PACKAGE_BYTES));
  await writeFile(path.join(directory, 'package/package.json'), JSON.stringify({ name, version }));
  await outputOf('tar', ['-czf', 'binary.tgz', 'package'], { cwd: directory });
  const archive = await readFile(path.join(directory, 'binary.tgz'));
  const registry = await serve(({ url }, response) => {
    if (url === '/binary.tgz') response.end(archive);
    else response.writeHead(404).end('{}');
  });
  return {
    checkout,
    registry,
    setUp: async (env: Record<string, string> = {}, through: readonly string[] = []) => {
      const [file, ...args] = [...through, process.execPath, ...CHECK] as const;
      const npm = { npm_config_registry: registry.url, npm_config_cache: `${directory}/cache` };
      return checkout.start([file, ...args], { ...npm, ...env }).ended();
    },
    close: () => registry.close(),
  };
});

test('a full disk is named, and incomplete packages are installed again', async (given) => {
  const { checkout, registry, setUp } = given;
  await checkout.write('package-lock.json', lockfileWith(`${registry.url}/binary.tgz`));
  const small = ['unshare', '--mount', 'sh', '-c', SMALL_DISK, 'sh', checkout.directory] as const;
  const full = await setUp({}, [...small, 'sh', '-c', TWICE, 'sh']);
  const said =
    /^The disk is full\. Free some space .*\(npm \S+ tar TAR_ENTRY_ERROR ENOSPC: .*\)$/gmu;
  assert.is(full.stderr.match(said)?.length, 2, full.stderr);
  assert.equal([full.code, full.stdout], [1, '']);
  const { code, stdout } = await setUp();
  assert.equal([code, stdout], [0, 'it runs\n']);
});

test('an unresponsive proxy is named', async ({ checkout, registry, setUp }) => {
  await checkout.write('package-lock.json', lockfileWith(`${registry.url}/binary.tgz`));
  const closed = await serve(() => {});
  await closed.close();
  const host = `127.0.0.1:${closed.port}`;
  const proxy = { http_proxy: `http://user:pass-word@${host}`, NO_PROXY: '' };
  const { code, stdout, stderr } = await setUp(proxy);
  assert.equal([code, stdout], [1, '']);
  const said = `The npm registry cannot be reached through the proxy ${host} (http_proxy). Check that address, then try again. (npm `;
  assert.ok(stderr.includes(said), stderr);
  assert.match(stderr, new RegExp(`ECONNREFUSED ${host}\\)`, 'u'));
  assert.not.match(stderr, 'pass-word');
});

test('a registry without the package is named', async ({ checkout, registry, setUp }) => {
  await checkout.write('package-lock.json', lockfileWith(`${registry.url}/other.tgz`));
  const { code, stderr } = await setUp();
  assert.is(code, 1);
  assert.match(stderr, /\nThe npm registry does not have a package .*\(npm .*404.*\)\n$/u);
});

const PRINTED: Readonly<Record<string, string>> = {
  'npm ERR! nospc ENOSPC: no space left on device, write': 'The disk is full.',
  "E: You don't have enough free space in /var/cache/apt/archives/.": 'The disk is full.',
  'npm error code SELF_SIGNED_CERT_IN_CHAIN': 'The certificate of X is not trusted.',
  'npm error errno CERT_HAS_EXPIRED': 'The certificate of X has expired or is not valid yet.',
  'npm error network Socket timeout ERR_SOCKET_TIMEOUT': 'X cannot be reached.',
  'npm error network request to https://x/y failed, reason: connect ETIMEDOUT 192.0.2.1:443':
    'X cannot be reached.',
  'Err:1 http://deb/debian trixie InRelease 407  Proxy Authentication Required':
    'The proxy asks for a user and a password.',
  'npm error code E401': 'X refuses access.',
  'npm error notarget No matching version found. ETARGET': 'X does not have a package',
};

test('each cause has its message, which quotes the output', () => {
  const env = {};
  for (const [line, begins] of Object.entries(PRINTED)) {
    assert.throws(
      () => throwIfKnown(`one\n  ${line}\nanother`, 'X', env),
      ({ message }: Error) => message.startsWith(begins) && message.endsWith(` (${line})`),
    );
  }
  throwIfKnown('npm error ERESOLVE could not resolve: While resolving: koa@3.3.0', 'X', env);
});
