import { createSampleDms } from '../../../simulators/sample-dms/sample-dms.ts';

/**
 * Runs the sample DMS as a killable process, configured by SAMPLE_DMS_TOKEN, STORE_DIR, PORT, and
 * ANSWER_DELAY_MS between storing an upload and answering it. Prints a line when ready and for each
 * stored document.
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
