import { styleText } from 'node:util';
import type { CheckResult } from '../../service/self-test/check.ts';
import type { SelfTestResult } from '../../service/self-test/self-test.ts';

export interface PrintOptions {
  /** False for a pipe or file. */
  readonly colours: boolean;
  /** False prints problems, and only counts the other checks. */
  readonly all: boolean;
}

const MARKS: Readonly<
  Record<CheckResult['status'], readonly [string, Parameters<typeof styleText>[0]]>
> = {
  ok: ['ok  ', 'green'],
  warn: ['WARN', 'yellow'],
  fail: ['FAIL', 'red'],
  skipped: ['skip', 'gray'],
  unknown: ['?   ', 'gray'],
};

/** One line per check, with the remedy below problems. */
export function printChecks({ checks, status }: SelfTestResult, options: PrintOptions): string {
  const paint: typeof styleText = options.colours ? (...of) => styleText(...of) : (_, text) => text;
  const shown = options.all ? checks : checks.filter(isProblem);
  const lines = shown.flatMap((check) => {
    const [mark, colour] = MARKS[check.status];
    const line = `${paint(colour, mark)}  ${check.id}  ${paint('bold', check.subject)}`;
    const about = [check.message, ...(check.remedy === null ? [] : [check.remedy])];
    return [line, ...about.map((text) => `      ${text}`)];
  });
  const counts = (['ok', 'warn', 'fail', 'skipped', 'unknown'] as const)
    .map((one) => [checks.filter((check) => check.status === one).length, one] as const)
    .filter(([count]) => count > 0)
    .map(([count, one]) => `${count} ${one}`)
    .join(', ');
  const end = conclusion(status, checks, paint);
  return [...lines, `${lines.length > 0 ? '\n' : ''}${end}: ${counts}.`].join('\n');
}

/** `unknown` counts as a problem. */
function isProblem({ status }: CheckResult): boolean {
  return status === 'fail' || status === 'warn' || status === 'unknown';
}

function conclusion(
  status: SelfTestResult['status'],
  checks: readonly CheckResult[],
  paint: typeof styleText,
): string {
  if (status === 'problems') return paint('red', 'There are problems');
  const has = (one: CheckResult['status']): boolean => checks.some((check) => check.status === one);
  if (has('warn')) return paint('yellow', 'Nothing failed, but see the warnings');
  if (has('unknown'))
    return paint('yellow', 'No problem found in what could be checked, but not all could be');
  return paint('green', 'No problem found');
}
