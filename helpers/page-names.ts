/** Numbers of pages in file names have four digits, so that they sort; no scan has more pages than these can count. */
export const LAST_PAGE_NUMBER = 9999;

/** Name of the file of a raw page, as scanimage makes it from the pattern `page-%04d.tif`. */
export const PAGE_NAME = /^page-(?<number>\d{4})\.tif$/;

/** The same, or the half of a page that scanimage has not finished. */
export const PAGE_OR_HALF = /^page-(?<number>\d{4})\.tif(?:\.part)?$/;

/** Name of the raw page of that number. */
export function pageName(number: number): string {
  return `page-${String(number).padStart(4, '0')}.tif`;
}

/** Number of the page in a file of that name; undefined for other files. */
export function pageNumber(name: string): number | undefined {
  const number = PAGE_NAME.exec(name)?.groups?.['number'];
  return number === undefined ? undefined : Number(number);
}
