import { load, YAML11_SCHEMA } from 'js-yaml';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FINISH_MS } from '../../helpers/scanner/runtime.ts';
import { SCAN_LIMITS } from '../../helpers/scanner/scan-halt.ts';
import { assert, suite } from '../support/suite.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PARTS = ['service', 'scanner', 'processor'];

interface Part extends Readonly<Record<string, unknown>> {
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly volumes?: readonly (string | { readonly target: string })[];
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly stop_grace_period?: string;
}

const text = readFileSync(path.join(ROOT, 'docker-compose.yml'), 'utf8');
// Compose accepts YAML 1.1's merge keys.
const file = load(text, { schema: YAML11_SCHEMA }) as {
  readonly services: Readonly<Record<string, Part>>;
};

function named(name: string): Part {
  const part = file.services[name];
  if (part === undefined) throw new Error(`docker-compose.yml has no ${name}`);
  return part;
}

/** Covers the file only. For running containers, see cases/. */
const test = suite('docker-compose.yml');

test('without a profile, only the appliance runs', () => {
  const always = Object.entries(file.services).filter(([, { profiles }]) => profiles === undefined);
  const names = always.map(([name]) => name);
  assert.equal(names, [...PARTS, 'prepare']);
});

test('the discovery container is as hardened as the others', () => {
  const discovery = named('discovery');
  const alike = ['user', 'init', 'read_only', 'cap_drop', 'security_opt', 'restart', 'logging'];
  for (const setting of [...alike, 'privileged'])
    assert.equal(discovery[setting], named('processor')[setting], setting);
  assert.ok(Number(discovery['pids_limit']) > 0);
  assert.match(String(discovery['mem_limit']), /^\d+m$/);
  assert.match(String(discovery['tmpfs']), /^\/tmp:size=.*noexec,nosuid,nodev/);
});

test('the service starts when the others are healthy, and stops after its longest scan', () => {
  assert.equal(named('service')['depends_on'], {
    prepare: { condition: 'service_completed_successfully' },
    scanner: { condition: 'service_healthy' },
    processor: { condition: 'service_healthy' },
  });
  assert.is(named('service').stop_grace_period, '${STOP_GRACE_PERIOD:-330s}');
  const scanner = Number.parseInt(named('scanner').stop_grace_period ?? '', 10) * 1000;
  assert.ok(scanner > FINISH_MS + SCAN_LIMITS.stopGraceMs + SCAN_LIMITS.closeMs);
});

test('the parts that talk to the DMS get the certificate named in .env', () => {
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

test('no password or key exists before the first start', () => {
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

test('.env.example lists exactly the settings of an operator', () => {
  const example = readFileSync(path.join(ROOT, '.env.example'), 'utf8');
  const offered = new Map(
    [...example.matchAll(/^#([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  /** Variables for builds, for a single run of set-up, or for tests: no settings of an operator. */
  const others = [
    'BUILD_COMMIT',
    'DMS_API_TOKEN',
    'LANG',
    'PAPERLESS_SECRET_KEY',
    'PAPERLESS_VERSION',
  ];
  const other = readFileSync(path.join(ROOT, 'deploy/operations/processor-only.yml'), 'utf8');
  const asked = [...(text + other).matchAll(/\$\{([A-Z_]+):[-+?][^}]*\}/g)].map(([, name]) => name);
  const known = [...offered.keys(), ...others];
  assert.equal(
    asked.filter((name) => !known.includes(name)),
    [],
  );
  const unused = [...offered.keys()].filter((name) => !asked.includes(name));
  assert.equal(unused, ['COMPOSE_PROFILES']);
});

const dockerfiles = suite('Dockerfiles');

for (const name of PARTS) {
  const lines = readFileSync(path.join(ROOT, `Dockerfile.${name}`), 'utf8');

  dockerfiles(`Dockerfile.${name} runs as the fixed user and without a shell`, () => {
    assert.match(lines, /^USER 10001:10001$/m);
    assert.match(lines, /^CMD \["node", .*"(service|helpers\/\w+)\/main\.ts"\]$/m);
    assert.match(lines, /^HEALTHCHECK [^\n]*\\\n {4}CMD \["(node|bash)", "deploy\/images\//m);
    assert.match(lines, /useradd --uid 10001 --gid 10001/);
  });

  dockerfiles(`Dockerfile.${name} builds on any machine and with any builder`, () => {
    const bases = new Set([...lines.matchAll(/^FROM (\S+)/gm)].map(([, image]) => String(image)));
    assert.equal([...bases].toSorted(), ['debian:trixie-slim', 'node:24-trixie-slim']);
    assert.not.match(lines, /^ADD |--mount|<<|^# syntax/m);
    assert.not.match(lines, /amd64|arm64|x86_64|aarch64|linux-x64/);
    assert.match(lines, /npm ci --omit=dev --ignore-scripts/);
  });
}
