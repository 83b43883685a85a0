import { dump, load as parseYaml } from 'js-yaml';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CATALOGUE } from '../../helpers/failure.ts';

/** The OpenAPI description of the service, as a file and as an object. */
export interface OpenApi {
  readonly yaml: string;
  readonly document: Readonly<Record<string, unknown>>;
}

interface Response {
  readonly $ref?: string;
  readonly content?: object;
}

type Responses = Readonly<Record<string, Response>>;

interface Operation {
  readonly responses: Responses;
  readonly requestBody?: object;
  /** Empty where no caller token is needed. */
  readonly security?: readonly object[];
}

/** What of the description is filled in. */
interface Described {
  readonly info: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Responses;
    readonly schemas: Readonly<Record<string, object>>;
  };
}

/** Reads `service/openapi.yaml`, and fills in what holds for every operation, the codes of all failures, and the version that runs. */
export async function readOpenApi(version: string): Promise<OpenApi> {
  const file = path.resolve(import.meta.dirname, '../openapi.yaml');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is our own file
  const given = parseYaml(await readFile(file, 'utf8')) as Described;
  const { responses, schemas } = given.components;
  const ErrorCode = { type: 'string', enum: Object.keys(CATALOGUE) };
  const document = {
    ...given,
    info: { ...given.info, version },
    paths: mapValues(given.paths, (operations) => mapValues(operations, withCommonResponses)),
    components: {
      ...given.components,
      responses: mapValues(responses, withErrorBody),
      schemas: { ...schemas, ErrorCode },
    },
  };
  return { yaml: dump(document, { noRefs: true }), document };
}

function withCommonResponses(operation: Operation): Operation {
  const own = Object.entries(operation.responses).map(([status, response]) => [
    status,
    Number(status) < 400 ? response : withErrorBody(response),
  ]);
  const responses = {
    ...(operation.security === undefined && { 401: shared('Unauthorized') }),
    ...(operation.requestBody && { 413: shared('BodyTooLarge'), 415: shared('OtherMediaType') }),
    ...Object.fromEntries(own),
    default: shared('Refused'),
  };
  return { ...operation, responses };
}

/** A response that has a body of its own stays as it is. */
function withErrorBody(response: Response): Response {
  if (response.$ref !== undefined || response.content !== undefined) return response;
  const schema = { $ref: '#/components/schemas/Error' };
  return { ...response, content: { 'application/json': { schema } } };
}

function shared(name: string): Response {
  return { $ref: `#/components/responses/${name}` };
}

function mapValues<Value, Mapped>(
  given: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, map(value)]));
}
