export function languageInstallation(packages: string): string {
  return `with Docker: OCR_LANGUAGES in .env, then docker compose up --detach --build; else the package ${packages}`;
}

export function languagePackage(language: string): string {
  return `tesseract-ocr-${language.toLowerCase().replaceAll('_', '-').replace('/', '-')}`;
}
