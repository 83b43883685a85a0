import { parseArgs } from 'node:util';
import { PAGES_DIR, readManifest, stackOf } from '../pages/manifest.ts';
import { createVirtualScanner } from './virtual-scanner.ts';

const USAGE = `Usage: node main.ts [--pages DIR] [--stack NAME] [--host ADDRESS] [--port N] [--ppm N] [--loop]

A virtual network scanner (eSCL).
  --pages DIR    page images; all of them by name unless --stack is given (PAGES_DIR; the shipped ones)
  --stack NAME   a stack of the manifest.json in that directory (STACK)
  --host ADDRESS address to listen on (HOST; 127.0.0.1)
  --port N       (PORT; 8089)
  --ppm N        sheets a minute (PPM; as fast as it is asked)
  --loop         puts the stack in again when it was scanned (LOOP=1)`;

const DEFAULT_PORT = 8089;

function wholeNumber(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+$/u.test(value)) throw new Error(`--${option} must be a whole number, not "${value}"`);
  return Number(value);
}

async function main(): Promise<void> {
  const { env } = process;
  const { values } = parseArgs({
    options: {
      pages: { type: 'string', default: env['PAGES_DIR'] ?? PAGES_DIR },
      stack: { type: 'string' },
      host: { type: 'string', default: env['HOST'] ?? '127.0.0.1' },
      port: { type: 'string' },
      ppm: { type: 'string' },
      loop: { type: 'boolean', default: env['LOOP'] === '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const { pages: pagesDir, host, loop } = values;
  const stack = values.stack ?? env['STACK'];
  const pagesPerMinute = wholeNumber('ppm', values.ppm ?? env['PPM']);
  const scanner = await createVirtualScanner({
    host,
    port: wholeNumber('port', values.port ?? env['PORT']) ?? DEFAULT_PORT,
    pagesDir,
    loop,
    ...(stack && { pages: stackOf(await readManifest(pagesDir), stack, pagesDir) }),
    ...(pagesPerMinute !== undefined && { pagesPerMinute }),
    log: (message) => console.log(message),
  });
  const stop = (): void => void scanner.close();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  console.log(
    `virtual scanner at ${scanner.url}, ${scanner.state.sheetsLeft} sheets in the feeder`,
  );
}

await main();
