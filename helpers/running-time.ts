/** If the process gets no CPU for a while, only one step is lost. */
const STEPS = 10;

/** Does not count time without CPU. Returns a function that cancels the call. */
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
