import path from 'node:path';
import { programEnvironment, startProgram } from '../../../helpers/child-process.ts';
import { percentile } from '../statistics.ts';

/** Longer than any scan of the benchmark. */
const PROBE_MS = 10 * 60_000;

export interface HealthLatency {
  readonly asked: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
}

/** Times `GET /health` of the service from the outside while `work` goes on. */
export async function measureHealth(
  port: number,
  work: () => Promise<unknown>,
): Promise<HealthLatency> {
  const probe = startProgram(
    {
      file: process.execPath,
      args: [path.join(import.meta.dirname, 'health-process.ts'), String(port)],
      cwd: '/',
      env: programEnvironment(),
    },
    { timeoutMs: PROBE_MS },
  );
  try {
    await work();
  } finally {
    probe.stdin.end();
  }
  const { stdout, stderr, exitCode } = await probe.ended;
  if (exitCode !== 0) throw new Error(`/health was not answered: ${stderr}`);
  const times = JSON.parse(stdout) as number[];
  return {
    asked: times.length,
    p50_ms: percentile(times, 50),
    p99_ms: percentile(times, 99),
    max_ms: Math.max(...times),
  };
}
