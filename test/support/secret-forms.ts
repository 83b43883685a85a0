/** Returns the secret as it is and in the encodings that a leak could have. */
export function formsOf(secret: string): string[] {
  return [
    secret,
    Buffer.from(secret).toString('base64').replaceAll('=', ''),
    Buffer.from(secret).toString('hex'),
    encodeURIComponent(secret),
  ];
}
