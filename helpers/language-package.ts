/** How a language comes to the processor, by its Debian package where there are no containers. */
export function languageInstallation(packages: string): string {
  return `with Docker: OCR_LANGUAGES in .env, then docker compose up --detach --build; else the package ${packages}`;
}

/** The Debian package of a Tesseract language, or of one of its scripts. */
export function languagePackage(language: string): string {
  return `tesseract-ocr-${language.toLowerCase().replaceAll('_', '-').replace('/', '-')}`;
}
