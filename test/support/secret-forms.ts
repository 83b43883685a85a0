/** The secret, also in the encodings in which it could leak. */
export function formsOf(secret: string): string[] {
  return [
    secret,
    Buffer.from(secret).toString('base64').replaceAll('=', ''),
    Buffer.from(secret).toString('hex'),
    encodeURIComponent(secret),
  ];
}
