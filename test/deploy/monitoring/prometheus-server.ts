import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from '../../support/within.ts';

export const MONITORING = path.resolve(import.meta.dirname, '../../../deploy/monitoring');

/** Debian's Prometheus starts in a second or two. */
const ANSWER_MS = 60_000;

/** One series of the answer to a query; `value` is that of its last sample. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

export interface PrometheusServer {
  /** Asks until `isEnough` says so: a scrape tells nobody that it was made. */
  readonly query: (
    expression: string,
    isEnough?: (series: readonly Series[]) => boolean,
  ) => Promise<readonly Series[]>;
  close(): Promise<void>;
}

/** Starts Prometheus with the shipped configuration, as an operator would change it: the target, and a short interval. */
export async function startPrometheus(
  directory: string,
  target: string,
): Promise<PrometheusServer> {
  const shipped = await readFile(path.join(MONITORING, 'prometheus.yml'), 'utf8');
  const config = shipped.replace('scanner.local:8080', target).replaceAll('15s', '1s');
  const file = path.join(directory, 'prometheus.yml');
  await writeFile(file, config);
  await copyFile(path.join(MONITORING, 'alerts.yml'), path.join(directory, 'alerts.yml'));
  const child = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${path.join(directory, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], cwd: directory },
  );
  const port = await portOf(child);
  return {
    query: (expression, isEnough = (series) => series.length > 0) =>
      ask(child, `http://127.0.0.1:${port}/api/v1/query`, { expression, isEnough }),
    close: async () => {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    },
  };
}

/** The port that Prometheus took and says in its log, which is read on to its end. */
async function portOf(child: ChildProcessByStdio<null, null, Readable>): Promise<string> {
  const heard = Promise.withResolvers<string>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    const port = /"Listening on" .*address=127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) heard.resolve(port);
  });
  return within(ANSWER_MS, heard.promise, 'the port of Prometheus');
}

async function ask(
  child: ChildProcess,
  url: string,
  query: { expression: string; isEnough: (series: readonly Series[]) => boolean },
): Promise<readonly Series[]> {
  const until = performance.now() + ANSWER_MS;
  let last = 'no answer';
  while (performance.now() < until && child.exitCode === null) {
    try {
      const body = new URLSearchParams({ query: query.expression });
      const response = await fetch(url, { method: 'POST', body });
      last = await response.text();
      const { data } = JSON.parse(last) as { data?: { result: Series[] } };
      if (data && query.isEnough(data.result)) return data.result;
    } catch (error) {
      last = String(error);
    }
    await wait(100);
  }
  throw new Error(`${query.expression}: ${last}`);
}
