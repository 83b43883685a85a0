import { messageOf } from './error-code.ts';

/** Exit code of a program that was called with a wrong option or argument. */
export const WRONG_USAGE = 2;

/** What is wrong with a command line, followed by the usage of the program. */
export function usageProblem(error: unknown, usage: string): string {
  // parseArgs also explains how to pass an argument that starts with "-", which no program here takes.
  const [problem = ''] = messageOf(error).split(/\.? To specify a positional argument/u);
  return `${problem.replace(/'$/u, "'.")}\n\n${usage}`;
}
