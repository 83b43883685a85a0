import { spawnSync } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../../helpers/failure.ts';
import { createMetrics, type Metrics } from '../../../service/metrics/metrics.ts';
import { feedPages } from '../../support/scan-parts.ts';
import {
  type TemporaryDirectory,
  assert,
  rejection,
  suite,
  temporaryDirectory,
} from '../../support/suite.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { createScanBench, type ScanBench } from '../../service/scan/call/scan-bench.ts';
import {
  MONITORING,
  startPrometheus,
  type PrometheusServer,
  type Series,
} from './prometheus-server.ts';

interface Context {
  temporary: TemporaryDirectory;
  bench: ScanBench;
  metrics: Metrics;
  app: TestApp;
  prometheus: PrometheusServer;
}

const test = suite<Context>('monitoring with Prometheus');

test.before(async (context) => {
  context.temporary = await temporaryDirectory();
  context.bench = await createScanBench();
  const { bench } = context;
  context.metrics = await createMetrics({
    version: { version: '1.2.3', commit: 'abc' },
    profiles: { list: () => [bench.profile()] },
    roots: () => [bench.root],
    components: {
      runtime: { health: () => Promise.resolve() },
      processor: { health: () => Promise.reject(new Error('it does not run')) },
    },
    log: bench.logged.log,
  });
  context.app = await startTestApp({ metrics: context.metrics });
  const target = `127.0.0.1:${context.app.port}`;
  context.prometheus = await startPrometheus(context.temporary.path, target);
});

test.after(async ({ temporary, bench, metrics, app, prometheus }) => {
  await prometheus.close();
  await app.close();
  metrics.close();
  await bench.close();
  await temporary.remove();
});

function promtool(args: readonly string[], cwd: string, input = ''): void {
  const options = { cwd, input, encoding: 'utf8', timeout: 60_000 } as const;
  const { status, stdout, stderr } = spawnSync('promtool', args, options);
  assert.is(status, 0, `${stdout}${stderr}`);
}

test('promtool accepts all, and each alert fires when it should', async ({ temporary }) => {
  promtool(['check', 'config', 'prometheus.yml'], MONITORING);
  for (const [folder, name] of [
    [MONITORING, 'alerts.yml'],
    [import.meta.dirname, 'alerts.test.yml'],
  ] as const) {
    await copyFile(path.join(folder, name), path.join(temporary.path, name));
  }
  promtool(['test', 'rules', 'alerts.test.yml'], temporary.path);
});

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly datasource: { readonly uid: string };
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const valueOf = ([series]: readonly Series[]): number => Number(series?.value[1]);

test('every query of the dashboard has an answer', async ({ bench, metrics, prometheus, app }) => {
  await prometheus.query('scan_service_scans_total{outcome="ok"} == 0');
  const { scans } = await bench.start({ feed: feedPages(3) }, { listener: metrics.listener });
  await scans.scan(bench.call());
  const jam = new Failure('scanner_jammed', 'Paper is stuck.');
  const jammed = await bench.start({ feed: feedPages(1, jam) }, { listener: metrics.listener });
  await rejection(jammed.scans.scan(bench.call()));
  metrics.countNotification('sent');

  const text = await app.send({ path: '/metrics' });
  promtool(['check', 'metrics'], MONITORING, text.text);
  assert.match(text.text, 'scan_service_feeding 0');
  assert.match(text.text, 'scan_service_component_up{component="runtime"} 1');
  assert.match(text.text, 'scan_service_component_up{component="processor"} 0');
  assert.match(text.text, 'scan_service_profiles_loaded 1');
  assert.match(text.text, /scan_service_last_scan_timestamp_seconds{outcome="ok"} \d{10}/);
  assert.match(text.text, 'scan_service_scans_total{profile="default",outcome="scanner_jammed"} 1');
  assert.not.match(text.text, /scan_id|token/);
  const isCounted = (series: readonly Series[]): boolean => Math.round(valueOf(series)) >= 2;
  await prometheus.query('sum(increase(scan_service_scans_total[1h]))', isCounted);

  const file = path.join(MONITORING, 'grafana-dashboard.json');
  const { panels } = JSON.parse(await readFile(file, 'utf8')) as Dashboard;
  assert.is(new Set(panels.map(({ id }) => id)).size, panels.length);
  for (const { title, datasource, targets } of panels) {
    assert.is(datasource.uid, '${datasource}', title);
    for (const { expr } of targets) {
      const series = await prometheus.query(expr.replaceAll('$__interval', '1h'));
      assert.ok(
        series.some(({ value }) => Number.isFinite(Number(value[1]))),
        `${title}: ${JSON.stringify(series)}`,
      );
    }
  }
});
