/**
 * How to install a language: in the processor image with Docker, otherwise from Debian packages.
 */
export function languageInstallation(packages: string): string {
  return `with Docker: OCR_LANGUAGES in .env, then docker compose up --detach --build; else the package ${packages}`;
}

/** The Debian package of a Tesseract language or script. */
export function languagePackage(language: string): string {
  return `tesseract-ocr-${language.toLowerCase().replaceAll('_', '-').replace('/', '-')}`;
}
