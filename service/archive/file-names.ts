export { PAGE_NAME, pageName, pageNumber } from '../../helpers/page-names.ts';

export const RECOGNIZED_DIRECTORY = 'recognized';

export const DOCUMENT_NAME = /^document-\d{4}\.pdf$/;

/** The scan id makes the name unique and easy to search for. */
export function uploadName(scanId: string, { filename }: { readonly filename: string }): string {
  return `${scanId}-${filename}`;
}
