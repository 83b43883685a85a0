import { readFileSync } from 'node:fs';

/**
 * Loaded before a program (`node --import`), it makes the clock of that process jump at each SIGUSR2, by as many
 * milliseconds from the true time as the file that CLOCK_FILE names says. Timers and performance.now() go on as they do
 * when somebody sets the clock of a machine.
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
