/** A set-up that cannot go on, for a reason the person at the terminal can act on: printed without a stack. */
export class SetUpError extends Error {}
