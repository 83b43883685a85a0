import { Counter, Gauge, type Registry } from '@prometheus-io/client';

type Series<Label extends string> = [registry: Registry, name: string, help: string, Label[]];

export function counter<Label extends string>(
  ...[registry, name, help, labelNames]: Series<Label>
): Counter<Label> {
  return new Counter({ name: `scan_service_${name}`, help, labelNames, registers: [registry] });
}

export function gauge<Label extends string>(
  ...[registry, name, help, labelNames]: Series<Label>
): Gauge<Label> {
  return new Gauge({ name: `scan_service_${name}`, help, labelNames, registers: [registry] });
}
