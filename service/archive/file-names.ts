/** Names of the raw pages in a scan directory, as the scanner runtime makes them. */
export const PAGE_NAME = /^page-(?<number>\d{4})\.tif$/;

/** Names of the documents in a scan directory. */
export const DOCUMENT_NAME = /^document-\d{4}\.pdf$/;

/** Number of the page in a file of that name; undefined for other files. */
export function pageNumber(name: string): number | undefined {
  const number = PAGE_NAME.exec(name)?.groups?.['number'];
  return number === undefined ? undefined : Number(number);
}
