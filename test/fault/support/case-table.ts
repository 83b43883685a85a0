import { appendFileSync } from 'node:fs';

/** One row of the table of fault classes. */
export interface FaultClass {
  readonly name: string;
  readonly cases: number;
  /** Cases after which every invariant held. */
  readonly kept: number;
  readonly seconds: number;
}

/** Counts the cases of a fault class. */
export interface CaseCount {
  /** Runs a case; it has kept the invariants when `run` resolves with nothing. Resolves with what is broken. */
  count(run: () => Promise<string[]>): Promise<string[]>;
  /** Prints the row; appends it as a line of JSON to the file that FAULT_TABLE names, where it names one. */
  print(): void;
}

/** A count that is at nothing. */
export function countCases(name: string): CaseCount {
  let cases = 0;
  let ms = 0;
  let kept = 0;
  return {
    count: async (run) => {
      const began = performance.now();
      cases += 1;
      try {
        const broken = await run();
        if (broken.length === 0) kept += 1;
        return broken;
      } finally {
        ms += performance.now() - began;
      }
    },
    print: () => {
      const seconds = Math.round(ms / 100) / 10;
      const row: FaultClass = { name, cases, kept, seconds };
      process.stdout.write(
        `\n# ${name}: ${cases} cases, ${kept} kept every invariant, ${seconds} s\n`,
      );
      const file = process.env['FAULT_TABLE'];
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`);
    },
  };
}
