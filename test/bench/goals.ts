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

/** What the whole may take beyond the last page's own recognition, where the cores can follow the feeder. */
const TAIL_LIMITS_S: Readonly<Record<string, number>> = { plain: 1, per_page: 2 };

/** CPU-seconds above Tesseract for a gray page, on a machine where Tesseract needs so many. */
const ABOVE_LIMIT = { seconds: 0.2, tesseract: 1.5 } as const;

const SERVICE_LIMITS = { memoryMb: 150, largeDocumentMb: 30, healthMs: 50 } as const;

/** Every goal that the run has figures for, with what it came to. */
export function goalsOf(rows: readonly Row[], service: ServiceFigures): Goal[] {
  return [...rows.flatMap((row) => rowGoals(row, rows)), ...serviceGoals(service)];
}

function rowGoals(row: Row, rows: readonly Row[]): Goal[] {
  if (row.side !== 'ours' || row.variant === 'no_ocr') return [];
  const where = `${row.mode}, ${row.pages} pages, ${row.pace}${row.variant === 'plain' ? '' : `, ${row.variant}`}`;
  if (row.variant === 'rotate' || row.variant.includes('deskew')) {
    const plain = rows.find((other) => isPlainOf(other, row))?.ratios.cpu_to_tesseract ?? null;
    const turned = row.ratios.cpu_to_tesseract;
    return plain === null || turned === null
      ? []
      : [goal(`CPU a page against the same without (${where})`, 1.4, turned / plain)];
  }
  const { after_last_to_naive, cpu_to_tesseract, bytes_to_naive } = row.ratios;
  const goals: Goal[] = [];
  const add = (what: string, limit: number, measured: number | null): void => {
    if (measured !== null) goals.push(goal(`${what} (${where})`, limit, measured));
  };
  add(
    's after the last sheet beyond the last page’s own recognition',
    TAIL_LIMITS_S[row.variant] ?? 1,
    row.beyond_last_page_s,
  );
  if (row.pace === 25) {
    add('time after the last sheet against the naive script', 1 / 12, after_last_to_naive);
  }
  const cpuLimit = CPU_LIMITS[row.mode];
  if (row.pages > 1 && cpuLimit !== undefined) {
    add('CPU against Tesseract alone', cpuLimit, cpu_to_tesseract);
    if (row.mode === 'gray' && cpu_to_tesseract !== null) {
      const above = (cpu_to_tesseract - 1) * ABOVE_LIMIT.tesseract;
      add('CPU s a page above Tesseract, where that needs 1.5', ABOVE_LIMIT.seconds, above);
    }
  }
  add('words lost against Tesseract alone', 0, row.lost_of_tesseract);
  if (row.pace === 'unpaced') add('size against OCRmyPDF’s default', 1, bytes_to_naive);
  return goals;
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

function serviceGoals({ start, health, large }: ServiceFigures): Goal[] {
  const { memoryMb, largeDocumentMb, healthMs } = SERVICE_LIMITS;
  const atRest = start.at_rest_mb['service'] ?? Number.NaN;
  return [
    goal('MB of the service at rest', memoryMb, atRest),
    goal(
      'MB more of the service with a large document in flight',
      largeDocumentMb,
      large.service_peak_mb - atRest,
    ),
    goal('ms of /health, p99, while OCR has all cores', healthMs, health.p99_ms),
  ];
}

/** A goal, with whether it was reached. */
function goal(text: string, limit: number, measured: number): Goal {
  return { goal: text, limit, measured, reached: measured <= limit };
}
