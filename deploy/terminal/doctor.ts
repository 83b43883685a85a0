/**
 * Prints the self-test of the running service: `npm run doctor`, or `docker compose exec service
 * doctor`. Exit codes: 0 no problems, 1 a check failed, 2 usage, 3 no response, 4 warnings, or
 * checks without a result.
 */
import { parseArgs } from 'node:util';
import { messageOf } from '../../helpers/error-code.ts';
import { usageProblem, WRONG_USAGE } from '../../helpers/usage.ts';
import { readEnvironment } from '../../service/environment.ts';
import { createSecretReader } from '../../service/paperless/secrets.ts';
import type { SelfTestResult } from '../../service/self-test/self-test.ts';
import { ask, causeOf, plainAnswer, type Service } from './ask-service.ts';
import { printChecks } from './print-checks.ts';
import { unitsSecrets } from './units-secrets.ts';

const USAGE = `Checks the whole chain: profiles, storage, scanner, processor, Paperless-ngx. Feeds nothing and changes nothing.

  npm run doctor -- [--url http://127.0.0.1:8080] [--json] [--all]

  --url   address of the service
  --json  the answer of the service, for programs
  --all   every check, and not only a line for those that are fine

A caller token is read from SECRETS_DIR/scan_api_token, from the secrets of the systemd units, or from SCAN_API_TOKEN.`;

/** In milliseconds. More than a self-test takes. */
const ANSWER_MS = 20_000;

const START_IT =
  'It takes some seconds to start: wait, or start it, or give its address with --url.';

const EXIT_CODES: Readonly<Record<SelfTestResult['status'], number>> = {
  ok: 0,
  problems: 1,
  warnings: 4,
};

const options = readOptions();
if (options === undefined) process.exitCode = WRONG_USAGE;
else if (options.help) console.log(USAGE);
else {
  try {
    const { result, version } = await lookAt(options.url);
    const colours = process.stdout.isTTY && process.stdout.hasColors();
    const text = options.json
      ? JSON.stringify(result, null, 2)
      : `${printChecks(result, { colours, all: options.all })}${version}`;
    console.log(text);
    process.exitCode = EXIT_CODES[result.status];
  } catch (error) {
    console.error(messageOf(error));
    process.exitCode = 3;
  }
}

interface Looked {
  readonly result: SelfTestResult;
  /** A printed line; empty if the service reports no version. */
  readonly version: string;
}

/** Requests the self-test and the version of a service. Rejects without a self-test. */
async function lookAt(url: string | undefined): Promise<Looked> {
  const { secretsDir, secretVariables: environment, port } = readEnvironment();
  const directory = unitsSecrets(process.env) ?? secretsDir;
  let tokenProblem = 'Set SCAN_API_TOKEN, or run this where its secret scan_api_token can be read.';
  const token = await createSecretReader({ directory, environment })('scan_api_token').catch(
    (error: unknown) => void (tokenProblem = `${messageOf(error)}.`),
  );
  const baseUrl = (url ?? `http://127.0.0.1:${port}`).replace(/\/+$/, '');
  const service: Service = {
    baseUrl,
    token: token ?? undefined,
    signal: AbortSignal.timeout(ANSWER_MS),
  };
  const response = await ask(service, '/self-test?refresh=true').catch((error: unknown) => {
    const what = `The service does not answer at ${baseUrl} (${causeOf(error)}).`;
    throw new Error(`${what} ${START_IT}`, { cause: error });
  });
  if (response.status === 401) {
    throw new Error(`The service at ${baseUrl} requires a token. ${tokenProblem}`);
  }
  const { status, body } = await plainAnswer(response);
  if (status === 200 && isSelfTest(body)) {
    return { result: body, version: await versionLine(service).catch(() => '') };
  }
  throw new Error(`At ${baseUrl} there is no scan service (${status}). Check --url.`);
}

async function versionLine(service: Service): Promise<string> {
  const { version, commit } = (await plainAnswer(await ask(service, '/version'))).body;
  return `\nVersion ${String(version)}, commit ${String(commit)}.`;
}

function isSelfTest(body: object): body is SelfTestResult {
  return 'checks' in body && Array.isArray(body.checks);
}

/** If an option is unknown, prints the error and returns undefined. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- it follows from the options listed
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        json: { type: 'boolean', default: false },
        all: { type: 'boolean', default: false },
        url: { type: 'string' },
      },
    });
    const { url } = values;
    if (url !== undefined && !/^https?:\/\//.test(url)) throw new Error(`${url} is no address.`);
    return values;
  } catch (error) {
    console.error(usageProblem(error, USAGE));
    return undefined;
  }
}
