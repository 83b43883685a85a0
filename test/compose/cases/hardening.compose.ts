import { attach, secret } from '../appliance.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('hardening of the running containers');
const appliance = await attach();

const PARTS = ['service', 'scanner', 'processor'];

interface Inspected {
  readonly HostConfig: {
    readonly Privileged: boolean;
    readonly CapAdd: readonly string[] | null;
    readonly PidsLimit: number;
    readonly Memory: number;
    readonly PidMode: string;
    readonly IpcMode: string;
    readonly NetworkMode: string;
    readonly DeviceCgroupRules: readonly string[] | null;
    readonly RestartPolicy: { readonly Name: string };
    readonly LogConfig: { readonly Config: Readonly<Record<string, string>> };
    readonly PortBindings: Readonly<Record<string, unknown>> | null;
  };
  readonly Mounts: readonly { readonly Destination: string; readonly RW: boolean }[];
}

async function inspect(part: string): Promise<Inspected> {
  const printed = await appliance.docker.run(['inspect', await appliance.container(part)]);
  const [inspected] = JSON.parse(printed) as Inspected[];
  if (inspected === undefined) throw new Error(`docker inspects no ${part}`);
  return inspected;
}

async function asked(part: string, expression: string): Promise<unknown> {
  const script = `const fs = require('fs'); console.log(JSON.stringify(${expression}))`;
  return JSON.parse(await appliance.node(part, script));
}

/** The code of the error that an expression throws; null if it does not. */
async function refusal(part: string, expression: string): Promise<unknown> {
  return asked(
    part,
    `(() => { try { ${expression}; return null } catch (e) { return e.code } })()`,
  );
}

for (const part of PARTS) {
  test(`${part}: every process has uid and gid 10001 and can never gain capabilities`, async () => {
    const statuses = (await asked(
      part,
      `fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))
         .map((pid) => fs.readFileSync('/proc/' + pid + '/status', 'utf8'))`,
    )) as string[];
    assert.ok(statuses.length >= 2, 'init and the program');
    for (const status of statuses) {
      const field = (name: string): string =>
        new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
      // This process belongs to the engine, which is starting a health check.
      if (field('Name').startsWith('runc:')) continue;
      assert.is(field('Uid'), '10001\t10001\t10001\t10001', field('Name'));
      assert.is(field('Gid'), '10001\t10001\t10001\t10001');
      for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
        assert.is(Number.parseInt(field(set), 16), 0, `${set} ${field(set)}`);
      }
      assert.is(field('NoNewPrivs'), '1');
      assert.is(field('Seccomp'), '2', 'the filter of the engine');
    }
  });

  test(`${part}: the root file system is read-only, and /tmp allows no execution`, async () => {
    for (const directory of ['/', '/app', '/etc', '/usr/bin', '/home', '/var/tmp']) {
      const code = await refusal(part, `fs.writeFileSync('${directory}/x', '')`);
      assert.ok(code === 'EROFS' || code === 'EACCES', `${directory}: ${String(code)}`);
    }
    const root = (await asked(part, `fs.readFileSync('/proc/mounts', 'utf8')`)) as string;
    assert.match(root, /^\S+ \/ \S+ ro[, ]/m);
    assert.match(root, /^tmpfs \/tmp tmpfs rw,nosuid,nodev,noexec/m);
    const run = `fs.writeFileSync('/tmp/x', '#!/bin/sh', { mode: 0o755 });
      const { error, status } = require('child_process').spawnSync('/tmp/x');
      fs.rmSync('/tmp/x'); throw error ?? new Error(status)`;
    assert.is(await refusal(part, run), 'EACCES');
  });

  test(`${part}: processes and memory are limited, by the kernel`, async () => {
    const { HostConfig } = await inspect(part);
    const limit = async (version1: string, version2: string): Promise<number> => {
      const files = JSON.stringify([version1, version2].map((file) => `/sys/fs/cgroup/${file}`));
      return Number(await asked(part, `fs.readFileSync(${files}.find(fs.existsSync), 'utf8')`));
    };
    assert.ok(HostConfig.PidsLimit > 0 && HostConfig.PidsLimit <= 512);
    assert.is(await limit('pids/pids.max', 'pids.max'), HostConfig.PidsLimit);
    assert.ok(HostConfig.Memory > 0);
    assert.is(await limit('memory/memory.limit_in_bytes', 'memory.max'), HostConfig.Memory);
  });

  test(`${part}: no privilege was granted in another way`, async () => {
    const { HostConfig, Mounts } = await inspect(part);
    assert.is(HostConfig.Privileged, false);
    assert.equal(HostConfig.CapAdd ?? [], []);
    assert.is(HostConfig.PidMode, '');
    assert.is.not(HostConfig.IpcMode, 'host');
    assert.is.not(HostConfig.NetworkMode, 'host');
    assert.not.ok(Mounts.some(({ Destination }) => Destination.includes('docker.sock')));
    const find = ['/usr', '/etc', '/app', '-xdev', '-perm', '/6000', '-type', 'f'];
    const found = `require('child_process').execFileSync('find', ${JSON.stringify(find)}).toString()`;
    assert.is(await asked(part, found), '');
  });

  test(`${part}: restarts, limits its log, and only the service publishes a port`, async () => {
    const { HostConfig } = await inspect(part);
    assert.is(HostConfig.RestartPolicy.Name, 'unless-stopped');
    assert.equal(HostConfig.LogConfig.Config, { 'max-size': '10m', 'max-file': '3' });
    const ports = Object.keys(HostConfig.PortBindings ?? {});
    assert.equal(ports, part === 'service' ? ['8080/tcp'] : []);
  });
}

test('each part has only the directories it needs, and USB only the scanner runtime', async () => {
  const mounts = async (part: string): Promise<string[]> =>
    (await inspect(part)).Mounts.map(({ Destination, RW }) =>
      RW ? Destination : `${Destination} (read-only)`,
    ).toSorted();
  assert.equal(await mounts('service'), [
    '/etc/scan-service/profiles (read-only)',
    '/run/ca.pem (read-only)',
    '/run/scan-service',
    '/run/secrets (read-only)',
    '/var/lib/scan-service/saved-profiles',
    '/var/lib/scan-service/scans',
    '/var/lib/scan-service/settings',
  ]);
  assert.equal(await mounts('scanner'), [
    '/dev/bus/usb',
    '/etc/scan-service/own-sane.d (read-only)',
    '/run/dbus (read-only)',
    '/run/scan-service',
    '/var/lib/scan-service/scans',
  ]);
  assert.equal(await mounts('processor'), []);
  for (const part of PARTS) {
    const { HostConfig } = await inspect(part);
    assert.equal(HostConfig.DeviceCgroupRules ?? [], part === 'scanner' ? ['c 189:* rmw'] : []);
  }
});

test('only service and runtime have their socket', async () => {
  const stat = `['/run/scan-service', '/run/scan-service/scanner.sock'].map((file) => {
    const { uid, mode } = fs.statSync(file); return [uid, (mode & 0o777).toString(8)] })`;
  const [directory, socket] = (await asked('scanner', stat)) as [number, string][];
  assert.equal(directory, [10001, '700']);
  assert.is(socket?.[0], 10001);
});

test('no container has a token in its settings or log', async () => {
  const names = ['dms_api_token', 'archive_token'];
  const tokens = await Promise.all(names.map((name) => secret(appliance, name)));
  for (const part of PARTS) {
    const id = await appliance.container(part);
    const { stdout, stderr } = await appliance.docker.try(['logs', id]);
    const shown = (await appliance.docker.run(['inspect', id])) + stdout + stderr;
    for (const token of tokens) assert.not.ok(shown.includes(token), part);
  }
});
