import type { Measurement } from './measurement.ts';
import type { Reference } from './reference.ts';

/** A measurement of two pages that went well, for the tests of what is made of measurements. */
export function sampleMeasurement(change: Partial<Measurement> = {}): Measurement {
  return {
    side: 'ours',
    variant: 'plain',
    mode: 'gray',
    pages: 2,
    pace: 25,
    afterLastMs: 2000,
    totalMs: 8000,
    cpuSeconds: 4,
    peakMb: { service: 80 },
    bytes: 400_000,
    texts: ['one two three', 'four five six'],
    work: { rawPages: ['a', 'b'], imageSizes: ['10×20', '10×20'], pdfA: true },
    foreignShare: 0,
    ...change,
  };
}

/** Tesseract alone beside such a measurement: it took 1.5 CPU-seconds a page. */
export function sampleReference(change: Partial<Reference> = {}): Reference {
  return {
    pages: 2,
    cpuSecondsPerPage: 1.5,
    totalMs: 4000,
    lastPageMs: 1500,
    texts: ['one two three', 'four five six'],
    ...change,
  };
}
