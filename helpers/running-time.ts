/** The time is counted in steps, so that a pause without CPU counts as one step at most. */
const STEPS = 10;

/**
 * Calls `late` after `ms`, not counting time without CPU. Returns a function that cancels the call.
 */
export function afterRunning(ms: number, late: () => void): () => void {
  let stepsLeft = STEPS;
  const timer = setInterval(() => {
    stepsLeft -= 1;
    if (stepsLeft > 0) return;
    clearInterval(timer);
    late();
  }, ms / STEPS);
  return () => clearInterval(timer);
}
