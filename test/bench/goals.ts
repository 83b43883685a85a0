import type { Row } from './rows.ts';
import type { ServiceFigures } from './service/service-figures.ts';

export interface Goal {
  readonly goal: string;
  readonly limit: number;
  readonly measured: number;
  readonly reached: boolean;
}

/** CPU of everything, as a multiple of Tesseract alone. */
const CPU_LIMITS: Readonly<Record<string, number>> = { gray: 1.15, lineart: 1.15, colour: 1.25 };

/** What the whole may take beyond the last page's own recognition, at 25 sheets a minute. */
const TAIL_LIMIT_S = 1;

const SERVICE_LIMITS = { memoryMb: 100, uploadMs: 5, healthMs: 50 } as const;

/** Every goal that the run has figures for, with what it came to. */
export function goalsOf(rows: readonly Row[], service: ServiceFigures): Goal[] {
  return [...rows.flatMap((row) => rowGoals(row, rows)), ...serviceGoals(service)];
}

function rowGoals(row: Row, rows: readonly Row[]): Goal[] {
  if (row.side !== 'ours') return [];
  const where = `${row.mode}, ${row.pages} pages, ${row.pace}${row.variant === 'plain' ? '' : `, ${row.variant}`}`;
  if (row.variant === 'rotate' || row.variant.includes('deskew')) {
    const plain = rows.find((other) => isPlainOf(other, row));
    return plain
      ? [
          goal(
            `CPU a page against the same without (${where})`,
            1.4,
            row.cpu_s_per_page / plain.cpu_s_per_page,
          ),
        ]
      : [];
  }
  const { after_last_to_naive, cpu_to_tesseract, bytes_to_naive } = row.ratios;
  const goals: Goal[] = [];
  const add = (what: string, limit: number, measured: number | null): void => {
    if (measured !== null) goals.push(goal(`${what} (${where})`, limit, measured));
  };
  if (row.pace === 25 && row.pages > 1) {
    add(
      's after the last sheet beyond the last page’s own recognition',
      TAIL_LIMIT_S,
      tailOf(row, rows),
    );
    add('time after the last sheet against the naive script', 1 / 12, after_last_to_naive);
  }
  if (row.pages > 1)
    add('CPU against Tesseract alone', CPU_LIMITS[row.mode] ?? 1, cpu_to_tesseract);
  add('words lost against Tesseract alone', 0, row.lost_of_tesseract);
  if (row.pace === 'unpaced') add('size against OCRmyPDF’s default', 1, bytes_to_naive);
  return goals;
}

/** The stacks end with the same page: what Tesseract alone takes for the stack of one is that page's own recognition. */
function tailOf(row: Row, rows: readonly Row[]): number | null {
  const one = rows.find(
    ({ side, mode, pages }) => side === 'tesseract' && mode === row.mode && pages === 1,
  );
  return one && row.after_last_s !== null ? row.after_last_s - one.total_s : null;
}

function isPlainOf(other: Row, row: Row): boolean {
  return (
    other.side === 'ours' &&
    other.variant === 'plain' &&
    other.mode === row.mode &&
    other.pages === row.pages &&
    other.pace === row.pace
  );
}

function serviceGoals({ start, delivery, health, large }: ServiceFigures): Goal[] {
  const { memoryMb, uploadMs, healthMs } = SERVICE_LIMITS;
  return [
    goal('MB of the service with a large document in flight', memoryMb, large.service_peak_mb),
    goal('MB of the service at rest', memoryMb, start.at_rest_mb['service'] ?? Number.NaN),
    goal('ms of our own for an upload', uploadMs, delivery.own_ms),
    goal('ms of /health, p99, while OCR has all cores', healthMs, health.p99_ms),
  ];
}

function goal(text: string, limit: number, measured: number): Goal {
  return { goal: text, limit, measured, reached: measured <= limit };
}
