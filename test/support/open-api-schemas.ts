import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenApi } from '../../service/http/open-api.ts';

interface Operation {
  readonly responses: Record<string, ResponseObject>;
  readonly security?: unknown[];
}

interface ResponseObject {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Record<string, { schema: object }>;
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly responses: Record<string, ResponseObject>;
    readonly schemas: Record<string, object>;
  };
}

export interface DescribedResponse {
  readonly method: string;
  readonly path: string;
  /** NaN for `default`, the response that any request may get. */
  readonly status: number;
  readonly description: string;
  readonly check: (body: unknown) => string | undefined;
}

export function describedResponses(openApi: OpenApi): DescribedResponse[] {
  const document = openApi.document as unknown as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema({ $id: 'api', components: document.components });
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      Object.entries(operation.responses).map(([status, response]) => {
        const resolved = resolve(document, response);
        const schema = resolved.content?.['application/json']?.schema;
        const validate = ajv.compile(schema === undefined ? {} : absolute(schema));
        return {
          method: method.toUpperCase(),
          path,
          status: Number(status),
          description: resolved.description ?? '',
          check: (body: unknown) => (validate(body) ? undefined : ajv.errorsText(validate.errors)),
        };
      }),
    ),
  );
}

function resolve(document: Document, response: ResponseObject): ResponseObject {
  const name = response.$ref?.replace('#/components/responses/', '');
  return name === undefined ? response : (document.components.responses[name] ?? response);
}

function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object;
}
