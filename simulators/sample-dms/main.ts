import { parseArgs } from 'node:util';
import { createSampleDms } from './sample-dms.ts';

/**
 * A sample document-management system to run by hand:
 *   SAMPLE_DMS_TOKEN=… node simulators/sample-dms/main.ts --store DIR [--port 8000] [--host 127.0.0.1]
 * Prints its address, then a line for each document that is stored or refused. Stop it with SIGINT or SIGTERM.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8000' },
    host: { type: 'string', default: '127.0.0.1' },
    store: { type: 'string' },
  },
});
const token = process.env['SAMPLE_DMS_TOKEN'] ?? '';
if (values.store === undefined || token === '') {
  console.error('--store or SAMPLE_DMS_TOKEN is missing');
  process.exit(2);
}

const dms = await createSampleDms({
  tokens: [token],
  storeDir: values.store,
  host: values.host,
  port: Number(values.port),
});
console.log(`sample DMS ready at ${dms.url}`);

dms.events.on('task_ended', (task) => {
  const { document } = task;
  if (document === undefined)
    return console.log(`task ${task.task_id} failed: ${task.result ?? ''}`);
  const facts = `${document.bytes} bytes, tags [${document.tags.join(', ')}]`;
  console.log(`stored document ${document.id} "${document.title}" (${facts}): ${document.path}`);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void dms.close());
}
