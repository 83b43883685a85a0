import { dump, load as parseYaml } from 'js-yaml';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CATALOGUE } from '../../helpers/failure.ts';

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
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: object;
  /** Empty if no caller token is required. */
  readonly security?: readonly object[];
}

interface Parameter {
  readonly name: string;
}

interface Described {
  readonly info: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Responses; readonly schemas: object };
}

/** Reads `service/openapi.yaml` and completes it as its first lines say. */
export async function readOpenApi(version: string): Promise<OpenApi> {
  const file = path.resolve(import.meta.dirname, '../openapi.yaml');
  const given: unknown = parseYaml(await readFile(file, 'utf8'));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is our own file
  const { info, paths, components, ...rest } = withWholeObjects(given) as Described;
  const ErrorCode = { type: 'string', enum: Object.keys(CATALOGUE) };
  const document = {
    ...rest,
    info: { ...info, version },
    paths: Object.fromEntries(
      Object.entries(paths).map(([name, operations]) => [
        name,
        mapValues(operations, (operation) => withCommonParts(name, operation)),
      ]),
    ),
    components: {
      ...components,
      responses: mapValues(components.responses, withErrorBody),
      schemas: { ...components.schemas, ErrorCode },
    },
  };
  return { yaml: dump(document, { noRefs: true }), document };
}

/**
 * Adds `type: object`, with all properties required and no others unless stated, and `type: array`
 * for `items`.
 */
function withWholeObjects(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(withWholeObjects);
  if (typeof given !== 'object' || given === null) return given;
  const parts: Readonly<Record<string, unknown>> = mapValues({ ...given }, withWholeObjects);
  const { properties } = parts;
  if (typeof properties === 'object' && properties !== null) {
    const required = Object.keys(properties);
    return { type: 'object', additionalProperties: false, required, ...parts };
  }
  return 'items' in parts ? { type: 'array', ...parts } : parts;
}

function withCommonParts(name: string, operation: Operation): Operation {
  const own = mapValues(operation.responses, (response, status) =>
    Number(status) < 400 ? response : withErrorBody(response),
  );
  const responses = {
    ...(operation.security === undefined && { 401: sharedResponse('Unauthorized') }),
    ...(operation.requestBody && {
      400: sharedResponse('InvalidBody'),
      413: sharedResponse('BodyTooLarge'),
      415: sharedResponse('OtherMediaType'),
    }),
    ...(name.startsWith('/scans/{scan_id}') && {
      404: sharedResponse('ScanNotFound'),
      500: sharedResponse('ScanUnreadable'),
      507: sharedResponse('DiskSilent'),
    }),
    ...own,
    default: sharedResponse('Refused'),
  };
  const given = (operation.parameters ?? []).map((one) => ({ in: 'query', ...one }));
  const parameters = [...pathParameters(name, operation), ...given];
  return {
    ...operation,
    ...(parameters.length > 0 && { parameters }),
    ...(operation.requestBody && { requestBody: { required: true, ...operation.requestBody } }),
    responses,
  };
}

/** Adds the path parameters that the operation does not describe. */
function pathParameters(path: string, { parameters = [] }: Operation): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => {
    if (parameters.some((own) => own.name === name)) return [];
    return [{ name, in: 'path', required: true, schema: { type: 'string' } }];
  });
}

function withErrorBody(response: Response): Response {
  if (response.$ref !== undefined || response.content !== undefined) return response;
  const schema = { $ref: '#/components/schemas/Error' };
  return { ...response, content: { 'application/json': { schema } } };
}

function sharedResponse(name: string): Response {
  return { $ref: `#/components/responses/${name}` };
}

function mapValues<Value, Mapped>(
  given: Readonly<Record<string, Value>>,
  map: (value: Value, key: string) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, map(value, key)]));
}
