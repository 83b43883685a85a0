import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { YAML11_SCHEMA, load } from 'js-yaml';
import { assert, suite } from '../support/suite.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DIRECTORY = path.join(ROOT, 'deploy/kubernetes');
const LABELS = {
  'app.kubernetes.io/name': 'scan-service',
  'app.kubernetes.io/component': 'processor',
};

function partOf(whole: unknown, where: string): unknown {
  return where.split('.').reduce((value, key): unknown => Object(value)[key], whole);
}

const valueOf = (file: string, where: string): unknown =>
  partOf(load(readFileSync(path.join(DIRECTORY, file), 'utf8')), where);

const POD = 'spec.template.spec';
const CONTAINER = `${POD}.containers.0`;
const HEALTH = { path: '/health', port: 'http' };

const image = readFileSync(path.join(DIRECTORY, '../../Dockerfile.processor'), 'utf8');
const port = Number(/^EXPOSE (\d+)$/mu.exec(image)?.[1]);

/** Per test, the file, path and expected value. */
const EXPECTED: Readonly<Record<string, readonly (readonly [string, string, unknown])[]>> = {
  'everything that selects pods selects those of the Deployment': [
    ['deployment.yaml', 'spec.selector.matchLabels', LABELS],
    ['deployment.yaml', 'spec.template.metadata.labels', LABELS],
    ['service.yaml', 'spec.selector', LABELS],
    ['disruption-budget.yaml', 'spec.selector.matchLabels', LABELS],
    ['network-policy.yaml', 'spec.podSelector.matchLabels', LABELS],
    ['autoscaler.yaml', 'spec.scaleTargetRef.name', valueOf('deployment.yaml', 'metadata.name')],
  ],
  'the port is that of the image, and each probe asks its health there': [
    ['deployment.yaml', `${CONTAINER}.ports`, [{ name: 'http', containerPort: port }]],
    ['service.yaml', 'spec.ports', [{ name: 'http', port, targetPort: 'http' }]],
    ['deployment.yaml', `${CONTAINER}.startupProbe.httpGet`, HEALTH],
    ['deployment.yaml', `${CONTAINER}.readinessProbe.httpGet`, HEALTH],
    ['deployment.yaml', `${CONTAINER}.livenessProbe.httpGet`, HEALTH],
  ],
  'a pod has what the profile "restricted" allows, and no more': [
    ['deployment.yaml', `${POD}.automountServiceAccountToken`, false],
    ['deployment.yaml', `${POD}.containers.length`, 1],
    [
      'deployment.yaml',
      `${POD}.securityContext`,
      {
        runAsNonRoot: true,
        runAsUser: 10001,
        runAsGroup: 10001,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    ],
    [
      'deployment.yaml',
      `${CONTAINER}.securityContext`,
      {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    ],
    ['deployment.yaml', `${CONTAINER}.volumeMounts`, [{ name: 'tmp', mountPath: '/tmp' }]],
    ['deployment.yaml', `${POD}.volumes.length`, 1],
    ['deployment.yaml', `${POD}.volumes.0.name`, 'tmp'],
  ],
  'its port is all that is open, and it calls nobody': [
    ['network-policy.yaml', 'spec.policyTypes', ['Ingress', 'Egress']],
    ['network-policy.yaml', 'spec.ingress', [{ ports: [{ protocol: 'TCP', port: 'http' }] }]],
    ['network-policy.yaml', 'spec.egress', []],
  ],
};

const kubernetes = suite('deploy/kubernetes');

for (const [what, rows] of Object.entries(EXPECTED)) {
  kubernetes(what, () => {
    for (const [file, where, value] of rows) {
      assert.equal(valueOf(file, where), value, `${file} ${where}`);
    }
  });
}

kubernetes('kubectl apply -k applies every manifest except the autoscaler', () => {
  const files = globSync('*.yaml', { cwd: DIRECTORY }).toSorted();
  const resources = valueOf('kustomization.yaml', 'resources') as string[];
  const left = files.filter((file) => !resources.includes(file));
  assert.equal(left, ['autoscaler.yaml', 'kustomization.yaml']);
  assert.is(valueOf('kustomization.yaml', 'images.length'), 1);
  const used = valueOf('deployment.yaml', `${CONTAINER}.image`);
  assert.is(valueOf('kustomization.yaml', 'images.0.name'), used);
});

kubernetes('it works on one page per core of its limit, and memory is limited', () => {
  const limits = valueOf('deployment.yaml', `${CONTAINER}.resources.limits`);
  assert.equal(Object.keys(Object(limits)).toSorted(), ['cpu', 'memory']);
  const variables = valueOf('deployment.yaml', `${CONTAINER}.env`) as { name: string }[];
  const cores = { resourceFieldRef: { resource: 'limits.cpu' } };
  assert.equal(
    variables.find(({ name }) => name === 'WORKERS'),
    { name: 'WORKERS', valueFrom: cores },
  );
});

/** Compose's tags control merging of files; only the values matter here. */
function read(file: string): unknown {
  const text = readFileSync(path.join(ROOT, file), 'utf8').replaceAll('!override', '');
  return load(text, { schema: YAML11_SCHEMA });
}

const stack = read('deploy/swarm/stack.yml');
const composed = read('docker-compose.yml');

const swarm = suite('deploy/swarm');

swarm('a replica has the settings of the processor in docker-compose.yml', () => {
  const same = ['user', 'init', 'read_only', 'cap_drop', 'logging', 'stop_grace_period'];
  for (const key of same) {
    const where = `services.processor.${key}`;
    assert.equal(partOf(stack, where), partOf(composed, where), key);
  }
  assert.equal(partOf(stack, 'services.processor.networks'), ['processing']);
  assert.is(partOf(stack, 'services.processor.ports'), undefined);
});

swarm('its network is internal, and the scan machine joins it by name', () => {
  const name = 'scan-service-processing';
  const network = { name, driver: 'overlay', attachable: true, internal: true };
  assert.equal(partOf(stack, 'networks.processing'), network);
  const joined = partOf(read('deploy/swarm/compose.yml'), 'networks.processing');
  assert.equal(joined, { name, external: true });
});

const usb = suite('rights to USB devices');

usb(
  'systemd and Compose give them by the number of USB devices, whatever the kernel has loaded',
  () => {
    const [unit = '', compose = ''] = [
      'deploy/systemd/scan-service-scanner.service',
      'docker-compose.yml',
    ].map((name) => readFileSync(path.join(ROOT, name), 'utf8'));
    const allowed = [...unit.matchAll(/^DeviceAllow=(.*)$/gmu)].map(([, rule]) => rule);
    const [, major] = /^ *device_cgroup_rules: \['c (\d+):\* rmw'\]$/mu.exec(compose) ?? [];
    assert.is(major, '189');
    assert.equal(allowed, [`char-${major} rw`]);
  },
);
