/** Names of the raw pages in a scan directory, as the scanner runtime makes them. */
export const PAGE_NAME = /^page-(?<number>\d{4})\.tif$/;

/** Names of the documents in a scan directory. */
export const DOCUMENT_NAME = /^document-\d{4}\.pdf$/;

/** Number of the page in a file of that name; undefined for other files. */
export function pageNumber(name: string): number | undefined {
  const number = PAGE_NAME.exec(name)?.groups?.['number'];
  return number === undefined ? undefined : Number(number);
}

/** Name of the raw page of that number. */
export function pageName(number: number): string {
  return `page-${String(number).padStart(4, '0')}.tif`;
}
