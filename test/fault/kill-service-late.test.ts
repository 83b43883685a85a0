import { suite } from 'uvu';
import { addKillMoments, type MomentsContext } from './support/kill-moments.ts';

const test = suite<MomentsContext>('killing the service in the second half of a scan');

addKillMoments(test, { from: 0.5, to: 1 });

test.run();
