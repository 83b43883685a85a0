/** The Debian package of a Tesseract language, or of one of its scripts. */
export function languagePackage(language: string): string {
  return `tesseract-ocr-${language.toLowerCase().replaceAll('_', '-').replace('/', '-')}`;
}
