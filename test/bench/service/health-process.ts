/**
 * `node health-process.ts <port>` requests `GET /health` every 20 ms on new connections until stdin
 * ends, then prints the response times in ms as JSON. A separate process, so that the benchmark
 * does not delay it.
 */
import { get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

const INTERVAL_MS = 20;

const port = Number(process.argv[2]);
const times: number[] = [];
process.stdin.resume();
while (!process.stdin.readableEnded) {
  const began = performance.now();
  await askHealth();
  times.push(performance.now() - began);
  await wait(INTERVAL_MS);
}
process.stdout.write(JSON.stringify(times));

function askHealth(): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/health', agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`/health: ${response.statusCode}`));
      response.on('end', resolve).on('error', reject).resume();
    }).on('error', reject);
  });
}
