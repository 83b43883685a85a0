import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../../../helpers/failure.ts';
import { createMetrics } from '../../../service/metrics/metrics.ts';
import { createScanBench } from '../../service/scan/call/scan-bench.ts';
import { outputOf, watchProgram } from '../../support/programs.ts';
import { feedPages } from '../../support/scan-parts.ts';
import { assert, rejection, withFixture } from '../../support/suite.ts';
import { startTestApp } from '../../support/test-app.ts';

const MONITORING = path.resolve(import.meta.dirname, '../../../deploy/monitoring');

/** PATH, to which the bootstrap adds Prometheus's directory. */
const ENV = { PATH: process.env['PATH'] ?? '' };

/** Time limit for an answer of Debian's Prometheus, which starts in a second or two. */
const ANSWER_MS = 60_000;

/** A series of the answer to a query; `value` is its last sample. */
interface Series {
  readonly value: readonly [number, string];
}

/** Polls until `isEnough` returns true, since scrapes are not announced. */
type Query = (
  expression: string,
  isEnough?: (series: readonly Series[]) => boolean,
) => Promise<readonly Series[]>;

/** Uses the shipped configuration with an operator's changes: the target, and a short interval. */
async function startPrometheus(
  directory: string,
  target: string,
): Promise<{ query: Query; close: () => Promise<void> }> {
  const shipped = await readFile(path.join(MONITORING, 'prometheus.yml'), 'utf8');
  const config = shipped.replace('scanner.local:8080', target).replaceAll('15s', '1s');
  const file = path.join(directory, 'prometheus.yml');
  await writeFile(file, config);
  await copyFile(path.join(MONITORING, 'alerts.yml'), path.join(directory, 'alerts.yml'));
  const storage = `--storage.tsdb.path=${path.join(directory, 'data')}`;
  const { child, output, until, ended } = watchProgram(
    ['prometheus', `--config.file=${file}`, storage, '--web.listen-address=127.0.0.1:0'],
    { env: process.env, cwd: directory, withinMs: ANSWER_MS },
  );
  const port = (): string | undefined =>
    /"Listening on" .*address=127\.0\.0\.1:(\d+)/.exec(output.stderr)?.[1];
  await until(() => port() !== undefined, 'the port of Prometheus');
  return {
    query: async (expression, isEnough = (series) => series.length > 0) => {
      const giveUp = performance.now() + ANSWER_MS;
      let last = 'no answer';
      while (performance.now() < giveUp && child.exitCode === null) {
        try {
          const body = new URLSearchParams({ query: expression });
          const url = `http://127.0.0.1:${port()}/api/v1/query`;
          last = await (await fetch(url, { method: 'POST', body })).text();
          const { data } = JSON.parse(last) as { data?: { result: Series[] } };
          if (data && isEnough(data.result)) return data.result;
        } catch (error) {
          last = String(error);
        }
        await wait(100);
      }
      throw new Error(`${expression}: ${last}`);
    },
    close: async () => {
      child.kill('SIGTERM');
      await ended();
    },
  };
}

const test = withFixture('monitoring with Prometheus', async (directory) => {
  const bench = await createScanBench();
  const metrics = await createMetrics({
    version: { version: '1.2.3', commit: 'abc' },
    profiles: { list: () => [bench.profile()] },
    roots: () => [bench.root],
    components: {
      runtime: { health: () => Promise.resolve() },
      processor: { health: () => Promise.reject(new Error('it does not run')) },
    },
    log: bench.logged.log,
  });
  const app = await startTestApp({ metrics });
  const prometheus = await startPrometheus(directory, `127.0.0.1:${app.port}`);
  const close = async (): Promise<void> => {
    await prometheus.close();
    await app.close();
    metrics.close();
    await bench.close();
  };
  return { directory, bench, metrics, app, query: prometheus.query, close };
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

test('promtool accepts the rules, each alert fires only when it should, and every dashboard query has an answer', async (given) => {
  const { directory, bench, metrics, app, query } = given;
  await outputOf('promtool', ['check', 'config', 'prometheus.yml'], { cwd: MONITORING, env: ENV });
  const tests = path.join(directory, 'alerts.test.yml');
  await copyFile(path.join(import.meta.dirname, 'alerts.test.yml'), tests);
  await outputOf('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd: directory, env: ENV });

  await query('scan_service_scans_total{outcome="ok"} == 0');
  const { scans } = await bench.start({ feed: feedPages(3) }, { listener: metrics.listener });
  await scans.scan(bench.call());
  const jam = new Failure('scanner_jammed', 'Paper is stuck.');
  const jammed = await bench.start({ feed: feedPages(1, jam) }, { listener: metrics.listener });
  await rejection(jammed.scans.scan(bench.call()));
  metrics.countNotification('sent');

  const text = await app.send({ path: '/metrics' });
  await writeFile(path.join(directory, 'metrics'), text.text);
  await outputOf('sh', ['-c', 'promtool check metrics < metrics'], { cwd: directory, env: ENV });
  assert.match(text.text, 'scan_service_feeding 0');
  assert.match(text.text, 'scan_service_component_up{component="runtime"} 1');
  assert.match(text.text, 'scan_service_component_up{component="processor"} 0');
  assert.match(text.text, 'scan_service_profiles_loaded 1');
  assert.match(text.text, /scan_service_last_scan_timestamp_seconds{outcome="ok"} \d{10}/);
  assert.match(text.text, 'scan_service_scans_total{profile="default",outcome="scanner_jammed"} 1');
  assert.not.match(text.text, /scan_id|token/);
  const isCounted = (series: readonly Series[]): boolean => Math.round(valueOf(series)) >= 2;
  await query('sum(increase(scan_service_scans_total[1h]))', isCounted);

  const file = path.join(MONITORING, 'grafana-dashboard.json');
  const { panels } = JSON.parse(await readFile(file, 'utf8')) as Dashboard;
  assert.is(new Set(panels.map(({ id }) => id)).size, panels.length);
  for (const { title, datasource, targets } of panels) {
    assert.is(datasource.uid, '${datasource}', title);
    for (const { expr } of targets) {
      const series = await query(expr.replaceAll('$__interval', '1h'));
      assert.ok(
        series.some(({ value }) => Number.isFinite(Number(value[1]))),
        `${title}: ${JSON.stringify(series)}`,
      );
    }
  }
});
