import { createSampleDms } from '../../../simulators/sample-dms/sample-dms.ts';

/**
 * The sample DMS as a process of its own, so that it can be killed. By its environment: SAMPLE_DMS_TOKEN, STORE_DIR, PORT,
 * and ANSWER_DELAY_MS from the moment that it has stored an upload to its answer. Prints a line when it is ready and for each document that it has stored.
 */
const { env } = process;
const dms = await createSampleDms({
  tokens: [env['SAMPLE_DMS_TOKEN'] ?? ''],
  storeDir: env['STORE_DIR'] ?? '',
  port: Number(env['PORT']),
});
dms.setFault({ kind: 'delay', ms: Number(env['ANSWER_DELAY_MS']) });
dms.events.on('task_ended', ({ filename }) => say('upload stored', { filename }));
process.once('SIGTERM', () => void dms.close());
say('listening', { port: dms.port });

function say(msg: string, facts: object = {}): void {
  process.stdout.write(`${JSON.stringify({ ...facts, msg })}\n`);
}
