/** A process that gets no CPU for a while loses one step, not the whole time. */
const STEPS = 10;

/** Calls `late` once this process has run for `ms`. The returned function cancels the call. */
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
