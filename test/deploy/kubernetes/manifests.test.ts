import { load } from 'js-yaml';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const DIRECTORY = path.resolve(import.meta.dirname, '../../../deploy/kubernetes');
const LABELS = {
  'app.kubernetes.io/name': 'scan-service',
  'app.kubernetes.io/component': 'processor',
};

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string; readonly valueFrom?: unknown }[];
  readonly resources: { readonly limits: Readonly<Record<string, string>> };
  readonly securityContext: unknown;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}

interface Deployment {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: { readonly matchLabels: unknown };
    readonly template: {
      readonly metadata: { readonly labels: unknown };
      readonly spec: {
        readonly automountServiceAccountToken: boolean;
        readonly securityContext: unknown;
        readonly containers: readonly Container[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

interface Selecting {
  readonly spec: {
    readonly selector: Readonly<Record<string, unknown>>;
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
  };
}

interface Policy {
  readonly spec: {
    readonly podSelector: unknown;
    readonly policyTypes: readonly string[];
    readonly ingress: unknown;
    readonly egress: unknown;
  };
}

interface Autoscaler {
  readonly spec: { readonly scaleTargetRef: { readonly name: string } };
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly images: readonly { readonly name: string }[];
}

function read(file: string): unknown {
  return load(readFileSync(path.join(DIRECTORY, file), 'utf8'));
}

const deployment = read('deployment.yaml') as Deployment;
const pod = deployment.spec.template.spec;
const kustomization = read('kustomization.yaml') as Kustomization;

function onlyContainer(): Container {
  const [container, ...others] = pod.containers;
  if (container === undefined || others.length > 0) throw new Error('not one container');
  return container;
}

const test = suite('deploy/kubernetes');

test('kubectl apply -k takes every manifest but the autoscaler', () => {
  const files = globSync('*.yaml', { cwd: DIRECTORY }).toSorted();
  const left = files.filter((file) => !kustomization.resources.includes(file));
  assert.equal(left, ['autoscaler.yaml', 'kustomization.yaml']);
  assert.equal(
    kustomization.images.map(({ name }) => name),
    [onlyContainer().image],
  );
});

test('everything that selects pods selects those of the Deployment', () => {
  const service = (read('service.yaml') as Selecting).spec;
  assert.equal(deployment.spec.selector.matchLabels, LABELS);
  assert.equal(deployment.spec.template.metadata.labels, LABELS);
  assert.equal(service.selector, LABELS);
  assert.equal((read('disruption-budget.yaml') as Selecting).spec.selector, {
    matchLabels: LABELS,
  });
  assert.equal((read('network-policy.yaml') as Policy).spec.podSelector, { matchLabels: LABELS });
  const autoscaler = read('autoscaler.yaml') as Autoscaler;
  assert.is(autoscaler.spec.scaleTargetRef.name, deployment.metadata.name);
});

test('the port is that of the image, and each probe asks its health there', () => {
  const container = onlyContainer();
  const image = readFileSync(path.join(DIRECTORY, '../../Dockerfile.processor'), 'utf8');
  const port = Number(/^EXPOSE (\d+)$/mu.exec(image)?.[1]);
  assert.equal(container.ports, [{ name: 'http', containerPort: port }]);
  assert.equal((read('service.yaml') as Selecting).spec.ports, [
    { name: 'http', port, targetPort: 'http' },
  ]);
  for (const { httpGet } of [
    container.startupProbe,
    container.readinessProbe,
    container.livenessProbe,
  ]) {
    assert.equal(httpGet, { path: '/health', port: 'http' });
  }
});

test('a pod has what the profile "restricted" allows, and no more', () => {
  const container = onlyContainer();
  assert.is(pod.automountServiceAccountToken, false);
  assert.equal(pod.securityContext, {
    runAsNonRoot: true,
    runAsUser: 10001,
    runAsGroup: 10001,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  assert.equal(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  assert.equal(Object.keys(container.resources.limits).toSorted(), ['cpu', 'memory']);
  assert.equal(container.volumeMounts, [{ name: 'tmp', mountPath: '/tmp' }]);
  assert.equal(
    pod.volumes.map(({ name }) => name),
    ['tmp'],
  );
});

test('it works on as many pages as it has cores', () => {
  const workers = onlyContainer().env.find(({ name }) => name === 'WORKERS');
  assert.equal(workers?.valueFrom, { resourceFieldRef: { resource: 'limits.cpu' } });
});

test('its port is all that is open, and it calls nobody', () => {
  const { policyTypes, ingress, egress } = (read('network-policy.yaml') as Policy).spec;
  assert.equal(policyTypes, ['Ingress', 'Egress']);
  assert.equal(ingress, [{ ports: [{ protocol: 'TCP', port: 'http' }] }]);
  assert.equal(egress, []);
});

test.run();
