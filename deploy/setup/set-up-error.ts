/** A failure that the person at the terminal can act on. Printed without a stack trace. */
export class SetUpError extends Error {
  override readonly name = 'SetUpError';
}
