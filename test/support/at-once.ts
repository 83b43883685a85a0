import pLimit from 'p-limit';

/** Of six that begin at once, each still has its turn soon, on a machine however busy. */
const AT_ONCE = 6;

/**
 * Tests of a table whose rows mostly wait: once the first is run, several are under way at any time. Each is a test of its own still.
 */
export function atOnce<Row>(
  test: (title: string, body: () => Promise<void>) => void,
  rows: Readonly<Record<string, Row>>,
  body: (row: Row, title: string) => Promise<void>,
): void {
  const limit = pLimit(AT_ONCE);
  let running: Map<string, Promise<unknown>> | undefined;
  const begin = (title: string, row: Row): Promise<unknown> =>
    limit(() => body(row, title)).catch((error: unknown) => error);
  for (const title of Object.keys(rows)) {
    test(title, async () => {
      running ??= new Map(Object.entries(rows).map(([name, row]) => [name, begin(name, row)]));
      const error = await running.get(title);
      if (error !== undefined) throw error as Error;
    });
  }
}
