import { createInterface } from 'node:readline';
import { listen } from '../../../helpers/ipc/transport.ts';
import { messageOf } from '../../../helpers/error-code.ts';

const [socketPath = ''] = process.argv.slice(2);
const silent = { onRequest: () => {}, onLost: () => {} };
const say = (line: string): void => void process.stdout.write(`${line}\n`);
let close = async (): Promise<void> => {};

say('ready');
for await (const line of createInterface({ input: process.stdin })) {
  try {
    if (line === 'close') await close();
    close = line === 'listen' ? (await listen(socketPath, silent)).close : async () => {};
    say(line === 'listen' ? 'listening' : 'closed');
  } catch (error) {
    say(messageOf(error));
  }
}
