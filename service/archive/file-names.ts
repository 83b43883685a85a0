export { PAGE_NAME, pageName, pageNumber } from '../../helpers/page-names.ts';

/** Names of the documents in a scan directory. */
export const DOCUMENT_NAME = /^document-\d{4}\.pdf$/;
