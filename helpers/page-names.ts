/**
 * Page numbers in file names have four digits, so that names sort. This limits the pages of a scan.
 */
export const LAST_PAGE_NUMBER = 9999;

/** File name of a raw page, from scanimage's pattern `page-%04d.tif`. */
export const PAGE_NAME = /^page-(?<number>\d{4})\.tif$/;

/** Also matches a page that scanimage has not finished. */
export const PAGE_OR_HALF = /^page-(?<number>\d{4})\.tif(?:\.part)?$/;

export function pageName(number: number): string {
  return `page-${String(number).padStart(4, '0')}.tif`;
}

/** The page number in a file name; undefined for other files. */
export function pageNumber(name: string): number | undefined {
  const number = PAGE_NAME.exec(name)?.groups?.['number'];
  return number === undefined ? undefined : Number(number);
}
