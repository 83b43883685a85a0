import { messageOf } from './error-code.ts';

export const WRONG_USAGE = 2;

export function usageProblem(error: unknown, usage: string): string {
  // Drops parseArgs' hint about arguments that start with "-", which no program here accepts.
  const [problem = ''] = messageOf(error).split(/\.? To specify a positional argument/u);
  return `${problem.replace(/'$/u, "'.")}\n\n${usage}`;
}
