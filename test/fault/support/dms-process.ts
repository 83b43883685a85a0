import { createSampleDms } from '../../../simulators/sample-dms/sample-dms.ts';

/**
 * The sample DMS as a process, configured by the environment. Waits ANSWER_DELAY_MS between storing
 * and answering. Prints a line when ready and per stored document.
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
