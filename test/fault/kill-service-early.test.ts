import { suite } from 'uvu';
import { addKillMoments, type MomentsContext } from './support/kill-moments.ts';

const test = suite<MomentsContext>('killing the service in the first half of a scan');

addKillMoments(test, { from: 0, to: 0.5 });

test.run();
