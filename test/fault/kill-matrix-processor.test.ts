import { suite } from 'uvu';
import type { FaultBench } from './support/fault-bench.ts';
import { addKillCells } from './support/kill-matrix.ts';

const test = suite<{ bench: FaultBench }>('killing the processor or OCR');

addKillCells(test, ['processor', 'OCR']);

test.run();
