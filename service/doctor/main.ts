/**
 * Asks the running service for its self-test and prints it for a person: `npm run doctor`, or
 * `docker compose exec service doctor`. Exit codes: 0 no check failed, 1 at least one did, 2 usage, 3 the service did not answer.
 */
import { parseArgs } from 'node:util';
import { messageOf } from '../../helpers/error-code.ts';
import { createSecretReader } from '../paperless/secrets.ts';
import { readEnvironment } from '../environment.ts';
import { askSelfTest } from './ask-self-test.ts';
import { printChecks } from './print-checks.ts';

const USAGE = `Checks the whole chain: profiles, storage, scanner, processor, Paperless-ngx. Feeds nothing and changes nothing.

  npm run doctor -- [--url http://127.0.0.1:8080] [--json] [--all]

  --url   address of the service
  --json  the answer of the service, for programs
  --all   every check, and not only a line for those that are fine

A caller token is read as the service reads it: from SECRETS_DIR/scan_api_token, or SCAN_API_TOKEN.`;

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 3;
}

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) return 2;
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const environment = readEnvironment();
  const readSecret = createSecretReader({
    directory: environment.secretsDir,
    environment: environment.secretVariables,
  });
  const url = options.url ?? `http://127.0.0.1:${environment.port}`;
  const secret = await readSecret('scan_api_token').then(
    (token) => ({ ...(token !== undefined && { token }) }),
    (error: unknown) => ({ tokenProblem: `${messageOf(error)}.` }),
  );
  const asked = await askSelfTest(url, secret);
  if ('problem' in asked) {
    console.error(asked.problem);
    return 3;
  }
  const { result } = asked;
  const isTerminal = process.stdout.isTTY && process.stdout.hasColors();
  const print = options.json
    ? JSON.stringify(result, null, 2)
    : printChecks(result, { colours: isTerminal, all: options.all });
  console.log(print);
  return result.status === 'ok' ? 0 : 1;
}

interface Options {
  readonly help: boolean;
  readonly json: boolean;
  readonly all: boolean;
  readonly url: string | undefined;
}

/** Undefined for options that there are not, which are told. */
function readOptions(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        json: { type: 'boolean', default: false },
        all: { type: 'boolean', default: false },
        url: { type: 'string' },
      },
    });
    const { help, json, all, url } = values;
    if (url !== undefined && !/^https?:\/\//.test(url)) throw new Error(`${url} is no address.`);
    return { help, json, all, url };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : 'Unknown options.'}\n\n${USAGE}`);
    return undefined;
  }
}
