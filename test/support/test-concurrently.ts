import pLimit from 'p-limit';

/** Few enough that each row makes progress even on a busy machine. */
const AT_ONCE = 6;

/** Adds a test per row. Since rows mostly wait, the first test starts all, `AT_ONCE` at a time. */
export function testConcurrently<Row>(
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
