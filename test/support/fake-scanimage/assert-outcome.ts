import type { FailureCode, FailureFacts } from '../../../helpers/failure.ts';
import type { FedStack } from '../../../helpers/ipc/messages.ts';
import { matchesPattern } from '../matches-pattern.ts';
import { assert, failure } from '../suite.ts';

const OUTCOME = /→ (?:(?<code>\w+) after )?(?<pages>\d+) pages?(?:: (?<said>.*))?$/u;

/**
 * Checks a scan against the end of a title: `→ 2 pages: warning` or `→ code after 1 page: message`.
 * Warning and message are patterns for `matchesPattern`.
 */
export async function assertOutcome(
  title: string,
  scanned: Promise<FedStack>,
): Promise<FailureFacts> {
  const { code, pages, said } = OUTCOME.exec(title)?.groups ?? {};
  if (code === undefined) {
    const summary = await scanned;
    const { page_count, warnings } = summary;
    assert.is(page_count, Number(pages));
    assert.ok(warnings.length < 2 && matchesPattern(said ?? '', warnings.join()), warnings.join());
    return { ...summary };
  }
  const { facts, message } = await failure(code as FailureCode, scanned);
  assert.is(facts['page_count'], Number(pages));
  assert.ok(matchesPattern(said ?? '…', message), message);
  return facts;
}
