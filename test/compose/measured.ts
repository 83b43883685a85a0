/** What begins the line of a figure in the output of a file of cases. */
const MARK = 'measured: ';

/** Prints a figure of a case that passes; the runner shows it. */
export function tell(figure: string): void {
  // On a line of its own: uvu is in the middle of one.
  process.stdout.write(`\n${MARK}${figure}\n`);
}

/** The figures in the output of a file of cases. */
export function figuresIn(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith(MARK))
    .map((line) => line.slice(MARK.length).trim());
}
