import { suite } from '../support/suite.ts';
import type { FaultBench } from './support/fault-bench.ts';
import { addKills, withKilledParts } from './support/kill-matrix.ts';

const test = suite<{ bench: FaultBench }>('killing the processor, or OCR');

withKilledParts(test);

// Delivery has no row: the processor then holds nothing of a scan, as before the first sheet.
addKills(test, 'processor', 'SIGKILL', [
  'before the first sheet',
  'while feeding',
  'while merging ahead',
  'while recognizing after the last sheet',
  'while assembling',
]);
// The processor finishes its pages and documents first.
addKills(test, 'processor', 'SIGTERM', [
  'while recognizing after the last sheet',
  'while assembling',
]);
addKills(test, 'OCR', 'SIGKILL', [
  'while feeding',
  'while recognizing after the last sheet',
  'while assembling',
]);
// SIGTERM ends Tesseract as immediately as SIGKILL, so one phase is enough.
addKills(test, 'OCR', 'SIGTERM', ['while recognizing after the last sheet']);
