import { suite } from '../support/suite.ts';
import type { FaultBench } from './support/fault-bench.ts';
import { addKills, withKilledParts } from './support/kill-matrix.ts';

const test = suite<{ bench: FaultBench }>('killing the processor, or OCR');

withKilledParts(test);

// When the document is delivered, nothing of a scan is with it, as before the first sheet.
addKills(test, 'processor', 'SIGKILL', [
  'before the first sheet',
  'while feeding',
  'while merging ahead',
  'while recognising after the last sheet',
  'while assembling',
]);
// It ends when its pages and documents are done.
addKills(test, 'processor', 'SIGTERM', [
  'while recognising after the last sheet',
  'while assembling',
]);
addKills(test, 'OCR', 'SIGKILL', [
  'while feeding',
  'while recognising after the last sheet',
  'while assembling',
]);
// Either signal ends it at once.
addKills(test, 'OCR', 'SIGTERM', ['while recognising after the last sheet']);
