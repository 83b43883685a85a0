/** Four digits in file names, so that names sort. Limits the pages of a scan. */
export const LAST_PAGE_NUMBER = 9999;

/** Raw pages, named by scanimage's pattern `page-%04d.tif`. */
export const PAGE_NAME = /^page-(?<number>\d{4})\.tif$/;

/** Includes pages that scanimage has not finished. */
export const PAGE_OR_HALF = /^page-(?<number>\d{4})\.tif(?:\.part)?$/;

export function pageName(number: number): string {
  return `page-${String(number).padStart(4, '0')}.tif`;
}

export function pageNumber(name: string): number | undefined {
  const number = PAGE_NAME.exec(name)?.groups?.['number'];
  return number === undefined ? undefined : Number(number);
}
