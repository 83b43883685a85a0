import { suite } from '../support/suite.ts';
import type { FaultBench } from './support/fault-bench.ts';
import { addKills, withKilledParts } from './support/kill-matrix.ts';

const test = suite<{ bench: FaultBench }>('killing the scanner runtime, or scanimage');

withKilledParts(test);

const FEEDING = ['before the first sheet', 'while feeding', 'while the scanner hangs'] as const;

// After feeding, the runtime holds nothing of a scan.
addKills(test, 'runtime', 'SIGKILL', [...FEEDING, 'while recognizing after the last sheet']);
addKills(test, 'runtime', 'SIGTERM', FEEDING);
addKills(test, 'scanimage', 'SIGKILL', FEEDING);
addKills(test, 'scanimage', 'SIGTERM', FEEDING);
