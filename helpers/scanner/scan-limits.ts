/** How long the steps of one scan may take, in milliseconds. */
export interface ScanLimits {
  /** Without a sign of the scanner. */
  readonly pageTimeoutMs: number;
  /**
   * From a stop to the first signal: time for the sheet on its way to become a page. A sheet at 600 dpi in colour takes some
   * seconds; the caller that asked for the stop waits ten.
   */
  readonly stopGraceMs: number;
  /**
   * From SIGINT to SIGKILL: sane-airscan needs some 10 ms to delete its job, and in the middle of a stack then begins a new one,
   * which must not get far.
   */
  readonly killMs: number;
  /**
   * From the end of the batch to the exit of scanimage, which closes the device: sane-airscan gives its last request ten
   * seconds. Drivers with threads hang here now and then (the `test` backend of sane-backends 1.2.1 in 1 of 200 runs).
   */
  readonly closeMs: number;
}

/** All but the page timeout, which is the operator's to set. */
export const SCAN_LIMITS: Omit<ScanLimits, 'pageTimeoutMs'> = {
  stopGraceMs: 8000,
  killMs: 500,
  closeMs: 12_000,
};
