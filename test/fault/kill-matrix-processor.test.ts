import { suite } from '../support/suite.ts';
import type { FaultBench } from './support/fault-bench.ts';
import { addKillCells } from './support/kill-matrix.ts';

const test = suite<{ bench: FaultBench }>('killing the processor');

addKillCells(test, 'processor');
