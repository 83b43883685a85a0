import { load, YAML11_SCHEMA } from 'js-yaml';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FINISH_MS } from '../../helpers/scanner/runtime.ts';
import { SCAN_LIMITS } from '../../helpers/scanner/scan-halt.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PARTS = ['service', 'scanner', 'processor'];

interface Part {
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly user?: string;
  readonly init?: boolean;
  readonly read_only?: boolean;
  readonly restart?: string;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly pids_limit?: number;
  readonly mem_limit?: string;
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly (string | { readonly target: string })[];
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly depends_on?: unknown;
  readonly stop_grace_period?: string;
  readonly privileged?: boolean;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Part>>;
  readonly networks: Readonly<Record<string, { readonly internal?: unknown } | null>>;
}

const text = readFileSync(path.join(ROOT, 'docker-compose.yml'), 'utf8');
// Compose takes YAML 1.1's merge keys.
const file = load(text, { schema: YAML11_SCHEMA }) as ComposeFile;

function named(name: string): Part {
  const part = file.services[name];
  if (part === undefined) throw new Error(`docker-compose.yml has no ${name}`);
  return part;
}

const test = suite('docker-compose.yml');

test('what runs without a profile is the appliance and nothing else', () => {
  const always = Object.entries(file.services).filter(([, { profiles }]) => profiles === undefined);
  assert.equal(
    always.map(([name]) => name),
    [...PARTS, 'prepare'],
  );
});

for (const name of [...PARTS, 'discovery']) {
  test(`${name} is hardened`, () => {
    const part = named(name);
    assert.is(part.user, '10001:10001');
    assert.is(part.init, true);
    assert.is(part.read_only, true);
    assert.equal(part.cap_drop, ['ALL']);
    assert.equal(part.security_opt, ['no-new-privileges:true']);
    assert.is(part.restart, 'unless-stopped');
    assert.match(part.tmpfs?.[0] ?? '', /^\/tmp:size=.*noexec,nosuid,nodev$/);
    assert.ok((part.pids_limit ?? 0) > 0);
    assert.ok(part.mem_limit);
    assert.equal(part.logging?.options, { 'max-size': '10m', 'max-file': '3' });
    assert.is(part.privileged, undefined);
  });
}

test('only the service publishes a port, and only it is on the way to the DMS', () => {
  assert.equal(named('service').networks, ['uplink', 'processing']);
  assert.equal(named('processor').networks, ['processing']);
  assert.equal(named('scanner').networks, ['scanning']);
  assert.equal(file.networks['processing'], { internal: true });
  assert.is(named('processor').ports, undefined);
  assert.is(named('scanner').ports, undefined);
});

test('the service starts when the others are healthy, and stops after its longest scan', () => {
  assert.equal(named('service').depends_on, {
    prepare: { condition: 'service_completed_successfully' },
    scanner: { condition: 'service_healthy' },
    processor: { condition: 'service_healthy' },
  });
  assert.is(named('service').stop_grace_period, '${STOP_GRACE_PERIOD:-330s}');
  const scanner = Number.parseInt(named('scanner').stop_grace_period ?? '', 10) * 1000;
  assert.ok(scanner > FINISH_MS + SCAN_LIMITS.stopGraceMs + SCAN_LIMITS.closeMs);
});

test('nobody gets the socket of the engine, and no token by the environment', () => {
  assert.not.match(text, /docker\.sock/);
  for (const name of PARTS) {
    const variables = Object.keys(named(name).environment ?? {});
    assert.equal(
      variables.filter((variable) => /TOKEN|PASSWORD/.test(variable)),
      [],
    );
  }
});

test('a certificate named in .env is given to the parts that speak to the DMS', () => {
  for (const name of ['service', 'setup']) {
    const { environment, volumes } = named(name);
    assert.is(environment?.['NODE_EXTRA_CA_CERTS'], '${NODE_EXTRA_CA_CERTS:+/run/ca.pem}');
    const mount = volumes?.find((one) => typeof one === 'object' && one.target === '/run/ca.pem');
    assert.equal(mount, {
      type: 'bind',
      source: '${NODE_EXTRA_CA_CERTS:-/dev/null}',
      target: '/run/ca.pem',
      read_only: true,
      bind: { create_host_path: false },
    });
  }
});

test('no password or key is known before the first start', () => {
  assert.not.match(text, /\$\{PAPERLESS_(ADMIN_PASSWORD|SECRET_KEY):-[^}]/);
  const made = 'paperless-secrets:';
  for (const name of ['paperless', 'paperless-token']) {
    const { environment = {}, volumes = [] } = named(name);
    const file = environment['PAPERLESS_ADMIN_PASSWORD_FILE'];
    const mounts = volumes.filter((volume) => typeof volume === 'string');
    const mount = mounts.find((volume) => volume.startsWith(made)) ?? '';
    assert.is(file, `${mount.slice(made.length).replace(/:ro$/, '')}/admin_password`);
  }
});

test('images from elsewhere are pinned to a version', () => {
  for (const { image } of Object.values(file.services)) {
    if (image.startsWith('${IMAGES:-scan-service}/')) continue;
    assert.match(image, /:(\$\{\w+:-)?\d+(\.\d+)*(-\w+)?\}?$/);
  }
});

test('.env.example names what an operator can set, and nothing else', () => {
  const example = readFileSync(path.join(ROOT, '.env.example'), 'utf8');
  const offered = new Map(
    [...example.matchAll(/^#([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  /** Of the build, of one call of the set-up assistant, and of the tests: nothing that is set for good. */
  const others = [
    'BUILD_COMMIT',
    'DMS_API_TOKEN',
    'LANG',
    'PAPERLESS_SECRET_KEY',
    'PAPERLESS_VERSION',
  ];
  const other = readFileSync(path.join(ROOT, 'deploy/operations/processor-only.yml'), 'utf8');
  const asked = [...(text + other).matchAll(/\$\{([A-Z_]+):[-+?][^}]*\}/g)].map(([, name]) => name);
  const unknown = new Set(
    asked.filter((name) => !offered.has(name) && !others.includes(name ?? '')),
  );
  assert.equal([...unknown], []);
  const unused = [...offered.keys()].filter(
    (name) => name !== 'COMPOSE_PROFILES' && !asked.includes(name),
  );
  assert.equal(unused, []);
});

test.run();

const dockerfiles = suite('Dockerfiles');

for (const name of PARTS) {
  const lines = readFileSync(path.join(ROOT, `Dockerfile.${name}`), 'utf8');

  dockerfiles(`Dockerfile.${name} runs as the one fixed user, by commands without a shell`, () => {
    assert.match(lines, /^USER 10001:10001$/m);
    assert.match(lines, /^CMD \["node", .*"(service|helpers\/\w+)\/main\.ts"\]$/m);
    assert.match(lines, /^HEALTHCHECK [^\n]*\\\n {4}CMD \["(node|bash)", "deploy\/images\//m);
    assert.match(lines, /useradd --uid 10001 --gid 10001/);
  });

  dockerfiles(`Dockerfile.${name} builds on any machine and with any builder`, () => {
    const bases = [...lines.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    assert.equal([...new Set(bases)].map(String).toSorted(), [
      'debian:trixie-slim',
      'node:24-trixie-slim',
    ]);
    assert.not.match(lines, /^ADD |--mount|<<|^# syntax/m);
    assert.not.match(lines, /amd64|arm64|x86_64|aarch64|linux-x64/);
    assert.match(lines, /npm ci --omit=dev --ignore-scripts/);
  });
}

dockerfiles.run();
