import { readFileSync } from 'node:fs';

/**
 * A preload module: on SIGUSR2, shifts the process's clock by the milliseconds in CLOCK_FILE. As
 * when a clock is set, timers and performance.now() are unaffected.
 */
const TrueDate = Date;
let offsetMs = 0;
const now = (): number => TrueDate.now() + offsetMs;

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given: unknown[], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
  apply: () => new TrueDate(now()).toString(),
  get: (target, property, receiver) =>
    property === 'now' ? now : (Reflect.get(target, property, receiver) as unknown),
});

process.on('SIGUSR2', () => {
  offsetMs = Number(readFileSync(process.env['CLOCK_FILE'] ?? '', 'utf8'));
  process.stdout.write(`${JSON.stringify({ msg: 'clock jumped', offsetMs })}\n`);
});
