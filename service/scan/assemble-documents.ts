import pLimit from 'p-limit';
import path from 'node:path';
import { groupPages } from './group-pages.ts';
import type { RecognizedPage } from './recognized-page.ts';
import type { Scan, ScanParts } from './scan-call.ts';
import type { ScannedDocument } from './scan-record.ts';
import { documentTitle } from '../profiles/title-template.ts';

/** Documents that are assembled at once; assembly is short, more would only crowd out other work. */
const ASSEMBLIES_AT_ONCE = 2;

/**
 * Has the processor make the documents of a scan from its recognised pages, as the profile groups them. Each is on disk,
 * synced, when this resolves, and the record lists them in page order: nothing is delivered before all are safe.
 */
export async function assembleDocuments(
  scan: Scan,
  parts: Pick<ScanParts, 'processor'>,
  pages: readonly RecognizedPage[],
): Promise<void> {
  const { profile, record } = scan;
  const files = new Map(pages.map((page) => [page.number, page.file]));
  const groups = groupPages([...files.keys()], profile.assembly.page_grouping, profile.source);
  const limit = pLimit(ASSEMBLIES_AT_ONCE);
  const assembled = await Promise.all(
    groups.map((group, index) =>
      limit(async () => {
        const title = titleOf(scan, index + 1, groups.length);
        const filename = `document-${String(index + 1).padStart(4, '0')}.pdf`;
        const made = await parts.processor.assembleDocument({
          pageFiles: group.map((number) => files.get(number) ?? ''),
          outFile: path.join(scan.directory, filename),
          options: { ...profile.processing, title },
          signal: scan.deadline.signal,
          log: scan.log,
        });
        const document: ScannedDocument = {
          filename,
          pages: group,
          page_count: made.page_count,
          bytes: made.bytes,
          sha256: made.sha256,
          title,
          destinations: [],
          outcomes: [],
        };
        return { document, warnings: made.warnings.map((w) => `${filename}: ${w}`) };
      }),
    ),
  );
  await record.update({
    documents: assembled.map(({ document }) => document),
    warnings: [...record.current().warnings, ...assembled.flatMap(({ warnings }) => warnings)],
  });
}

/** A title in the request is taken as it is, but numbered where it would name several documents. */
function titleOf(scan: Scan, number: number, count: number): string {
  const facts = {
    profile: scan.profile.name,
    scan_id: scan.id,
    started_at: scan.startedAt,
    number,
    count,
  };
  const asked = scan.metadata.title;
  if (asked === undefined) return documentTitle(scan.profile.title, facts);
  return count === 1 ? asked : `${asked} (${number}/${count})`;
}
