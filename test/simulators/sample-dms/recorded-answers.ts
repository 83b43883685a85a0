import type { SampleDmsOptions } from '../../../simulators/sample-dms/options.ts';

/**
 * Recorded from Paperless-ngx 2.20.15 and 3.0.5, run from source. Without `version`, both answered
 * the same.
 */
export interface Recorded {
  readonly what: string;
  readonly version?: SampleDmsOptions['version'];
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  readonly answer: unknown;
  readonly with?: Readonly<Record<string, string>>;
}

export const USERS: SampleDmsOptions['tokens'] = [
  'admin',
  { token: 'scanner', id: 5, permissions: ['add_document', 'view_tag', 'add_tag'] },
  { token: 'noadd', id: 6, permissions: ['view_tag'] },
  { token: 'off', id: 7, active: false },
];

export const OBJECTS: SampleDmsOptions['objects'] = {
  tags: [
    { id: 1, name: 'Inbox' },
    { id: 2, name: 'Tax' },
    { id: 3, name: 'Tax 2026', parent: 2 },
    { id: 4, name: 'Private', owner: 9 },
    { id: 5, name: 'Shared', owner: 9, shared_with: [5] },
    { id: 6, name: 'Mine', owner: 5 },
  ],
  custom_fields: [
    { id: 1, name: 'Reference', data_type: 'string' },
    { id: 2, name: 'Amount', data_type: 'monetary' },
    { id: 3, name: 'Due', data_type: 'date' },
    { id: 4, name: 'Link', data_type: 'url' },
    { id: 5, name: 'Count', data_type: 'integer' },
    { id: 6, name: 'Kind', data_type: 'select', select_options: [{ id: 'a', label: 'A' }] },
    { id: 7, name: 'Related', data_type: 'documentlink' },
  ],
};

const UPLOAD = { method: 'POST', path: '/api/documents/post_document/' } as const;
const TAGS = '/api/tags/';
const AS = (token: string): Record<string, string> => ({ authorization: `Token ${token}` });
const FORM = { 'content-type': 'multipart/form-data; boundary=x' };
const JSON_TYPE = { 'content-type': 'application/json' };

function form(fields: Readonly<Record<string, string>>, content?: string): string {
  const part = (name: string, text: string): string =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
  const texts = Object.entries(fields).map(([name, text]) => part(name, text));
  const file = content === undefined ? [] : [part('document"; filename="a.bin', content)];
  return `${[...texts, ...file].join('')}--x--\r\n`;
}

export const PDF = '%PDF-1.7\nsample\n%%EOF\n';

const NO_ID = 'Incorrect type. Expected pk value, received str.';
const NO_DATE =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].';

/** A field of the form, its text, and the problem in the 400. */
const FIELDS: readonly (readonly [field: string, text: string, problem: string])[] = [
  ['tags', '999', 'Invalid pk "999" - object does not exist.'],
  ['tags', '1,2', NO_ID],
  ['tags', '', NO_ID],
  ['correspondent', 'Acme', NO_ID],
  ['document_type', '99', 'Invalid pk "99" - object does not exist.'],
  ['storage_path', '99', 'Invalid pk "99" - object does not exist.'],
  ['archive_serial_number', '7.5', 'A valid integer is required.'],
  ['archive_serial_number', '-1', 'Ensure this value is greater than or equal to 0.'],
  ['archive_serial_number', '4294967296', 'Ensure this value is less than or equal to 4294967295.'],
  ['title', ' ', 'This field may not be blank.'],
  ['title', 'a\0b', 'Null characters are not allowed.'],
  ['created', '21.11.2026', NO_DATE],
  ['created', '2026-02-30', NO_DATE],
  ['created', '2026-11-21T25:00:00', NO_DATE],
  ['custom_fields', '{', 'Value must be valid JSON.'],
  ['custom_fields', '{"99":1}', 'Custom field with id 99 does not exist'],
];

const FILES: readonly (readonly [content: string | undefined, problem: string])[] = [
  [undefined, 'No file was submitted.'],
  ['', 'The submitted file is empty.'],
  ['\0\u0001\u0002', 'File type application/octet-stream not supported'],
];

const TOKENS: readonly (readonly [authorization: string, detail: string])[] = [
  ['', 'Authentication credentials were not provided.'],
  ['Bearer admin', 'Authentication credentials were not provided.'],
  ['Token x', 'Invalid token.'],
  ['Token off', 'User inactive or deleted.'],
];

const NAMES: readonly (readonly [body: string, answer: unknown])[] = [
  ['{"name":"Mine"}', { error: 'Object violates owner / name unique constraint' }],
  ['{}', { name: ['This field is required.'] }],
  ['{"name":" "}', { name: ['This field may not be blank.'] }],
  ['{"name":"a\\u0000b"}', { name: ['Null characters are not allowed.'] }],
  [
    JSON.stringify({ name: 'x'.repeat(129) }),
    { name: ['Ensure this field has no more than 128 characters.'] },
  ],
];

const NO_VERSION = { detail: 'Invalid version in "Accept" header.' };

export const RECORDED: readonly Recorded[] = [
  ...TOKENS.map(([authorization, detail]) => ({
    ...UPLOAD,
    what: `the token "${authorization}"`,
    headers: { ...FORM, authorization },
    body: form({}, PDF),
    status: 401,
    answer: { detail },
    with: { 'www-authenticate': 'Token' },
  })),
  ...FIELDS.map(([field, text, problem]) => ({
    ...UPLOAD,
    what: `${field} ${text}`,
    headers: FORM,
    body: form({ [field]: text }, PDF),
    status: 400,
    answer: { [field]: [problem] },
  })),
  ...FILES.map(([content, problem]) => ({
    ...UPLOAD,
    what: problem,
    headers: FORM,
    body: form({}, content),
    status: 400,
    answer: { document: [problem] },
  })),
  ...NAMES.map(([body, answer]) => ({
    what: `a new tag ${body.slice(0, 20)}`,
    method: 'POST' as const,
    path: TAGS,
    headers: { ...JSON_TYPE, ...AS('scanner') },
    body,
    status: 400,
    answer,
  })),
  {
    ...UPLOAD,
    what: 'several problems',
    headers: FORM,
    body: form({ tags: '99', correspondent: '98' }),
    status: 400,
    answer: {
      correspondent: ['Invalid pk "98" - object does not exist.'],
      tags: ['Invalid pk "99" - object does not exist.'],
      document: ['No file was submitted.'],
    },
    with: { 'x-version': '3.0.5', 'x-api-version': '10' },
  },
  {
    ...UPLOAD,
    what: 'a value on which its code fails',
    headers: FORM,
    body: form({ custom_fields: '{"1":5}' }, PDF),
    status: 500,
    answer: '<h1>Server Error (500)</h1>',
  },
  {
    ...UPLOAD,
    what: 'a user who may not add documents',
    headers: { ...FORM, ...AS('noadd') },
    body: form({}, PDF),
    status: 403,
    answer: 'Insufficient permissions',
    with: { 'content-type': 'text/html; charset=utf-8' },
  },
  {
    ...UPLOAD,
    what: 'JSON for a form',
    headers: JSON_TYPE,
    body: '{}',
    status: 415,
    answer: { detail: 'Unsupported media type "application/json" in request.' },
  },
  {
    ...UPLOAD,
    what: 'version 8, with a wrong token',
    headers: { accept: 'application/json; version=8', ...AS('x') },
    status: 406,
    answer: NO_VERSION,
  },
  {
    what: 'version 10 of the release that does not have it',
    version: '2.20',
    path: TAGS,
    headers: { accept: 'application/json; version=10' },
    status: 406,
    answer: NO_VERSION,
  },
  {
    what: 'another type',
    path: TAGS,
    headers: { accept: 'text/plain' },
    status: 406,
    answer: { detail: 'Could not satisfy the request Accept header.' },
  },
  {
    what: 'an upload by GET',
    path: UPLOAD.path,
    status: 405,
    answer: { detail: 'Method "GET" not allowed.' },
  },
  {
    what: 'an upload without the slash',
    method: 'POST',
    path: UPLOAD.path.slice(0, -1),
    status: 403,
    answer: 'CSRF verification failed',
  },
  {
    what: 'no API',
    path: '/api/nothing/',
    status: 302,
    answer: '',
    with: { location: '/accounts/login/?next=/api/nothing/' },
  },
  {
    what: 'a list without the permission',
    path: '/api/correspondents/',
    headers: AS('scanner'),
    status: 403,
    answer: { detail: 'You do not have permission to perform this action.' },
  },
  {
    what: 'a null character in a filter',
    path: `${TAGS}?name__iexact=a%00b`,
    status: 400,
    answer: { name__iexact: ['Null characters are not allowed.'] },
  },
  {
    what: 'a page that there is not',
    path: `${TAGS}?page=9`,
    status: 404,
    answer: { detail: 'Invalid page.' },
  },
  {
    what: 'the status, for a user',
    path: '/api/status/',
    headers: AS('scanner'),
    status: 403,
    answer: 'Insufficient permissions',
  },
  {
    what: 'a wrong password',
    method: 'POST',
    path: '/api/token/',
    headers: JSON_TYPE,
    body: '{"username":"admin","password":"wrong"}',
    status: 400,
    answer: { non_field_errors: ['Unable to log in with provided credentials.'] },
  },
];
