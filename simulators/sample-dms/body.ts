import type { IncomingMessage } from 'node:http';
import { jsonAnswer, unsupportedMediaType, type Answer } from './answer.ts';

export type ReadBody =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly answer: Answer };

/** Reads a small request body: JSON, or a form without files. An empty body is an empty form. */
export async function readBody(request: IncomingMessage): Promise<ReadBody> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  if (text === '') return { kind: 'value', value: {} };
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'application/x-www-form-urlencoded') {
    return { kind: 'value', value: Object.fromEntries(new URLSearchParams(text)) };
  }
  if (mediaType !== 'application/json') {
    return { kind: 'refused', answer: unsupportedMediaType(mediaType) };
  }
  try {
    return { kind: 'value', value: JSON.parse(text) };
  } catch {
    const detail = 'JSON parse error - Expecting value: line 1 column 1 (char 0)';
    return { kind: 'refused', answer: jsonAnswer(400, { detail }) };
  }
}
