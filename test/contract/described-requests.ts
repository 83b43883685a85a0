import { STORED_ID } from '../support/stored-scan.ts';
import type { TestRequest } from '../support/test-app.ts';

export const JSON_TYPE = { 'Content-Type': 'application/json', Authorization: 'Bearer t' };
const BEARER = { Authorization: 'Bearer t' };

export const DAMAGED_ID = '20261121T063000Z-000000';
export const STORED = `/scans/${STORED_ID}`;
export const EVENTS = '/scans/{scan_id}/events';
export const FILES = '/scans/{scan_id}/files';
export const FILE = `${STORED}/files/page-0001.tif`;
const RESUME = '/scans/{scan_id}/resume';
const EDIT = '/scans/{scan_id}/pages/{page}';
const DISCARD = '/scans/{scan_id}/discard';
export const STOP = '/scans/{scan_id}/stop';
export const PREVIEW = '/scans/{scan_id}/pages/{page}/preview';
const LARGE = `"${'x'.repeat(70_000)}"`;

/** What a person decides before a scan is filed. */
export const EDITS = [
  { path: EDIT, url: '/pages/1', method: 'PATCH', body: '{"turn":90}' },
  { path: DISCARD, url: '/discard', method: 'POST', body: '{}' },
] as const;

/** One request for every other response that the description names. */
export const REQUESTS: [number, string, TestRequest][] = [
  [200, '/scan', { method: 'POST', path: '/scan', headers: JSON_TYPE, body: '{}' }],
  [400, '/scan', { method: 'POST', path: '/scan', headers: JSON_TYPE, body: '{"x":1}' }],
  [401, '/scan', { method: 'POST', path: '/scan' }],
  [404, '/scan', { method: 'POST', path: '/scan', headers: JSON_TYPE, body: '{"profile":"no"}' }],
  [
    413,
    '/scan',
    { method: 'POST', path: '/scan', headers: JSON_TYPE, body: `"${'x'.repeat(70_000)}"` },
  ],
  [415, '/scan', { method: 'POST', path: '/scan', headers: BEARER, body: '{}' }],
  [200, '/scans', { path: '/scans', headers: BEARER }],
  [400, '/scans', { path: '/scans?limit=x', headers: BEARER }],
  [401, '/scans', { path: '/scans' }],
  [200, '/scans/{scan_id}', { path: `/scans/${STORED_ID}`, headers: BEARER }],
  [401, '/scans/{scan_id}', { path: `/scans/${STORED_ID}` }],
  [404, '/scans/{scan_id}', { path: '/scans/x', headers: BEARER }],
  [500, '/scans/{scan_id}', { path: `/scans/${DAMAGED_ID}`, headers: BEARER }],
  [200, EVENTS, { path: `${STORED}/events`, headers: BEARER }],
  [
    204,
    EVENTS,
    { path: `${STORED}/events`, headers: { ...BEARER, 'Last-Event-ID': '999-result' } },
  ],
  [401, EVENTS, { path: `${STORED}/events` }],
  [404, EVENTS, { path: '/scans/x/events', headers: BEARER }],
  [200, `${FILES}/{name}`, { path: FILE, headers: BEARER }],
  [401, `${FILES}/{name}`, { path: FILE }],
  [404, `${FILES}/{name}`, { path: `${STORED}/files/scan.json`, headers: BEARER }],
  [200, RESUME, { method: 'POST', path: `${STORED}/resume`, headers: JSON_TYPE, body: '{}' }],
  [400, RESUME, { method: 'POST', path: `${STORED}/resume`, headers: JSON_TYPE, body: '[]' }],
  [401, RESUME, { method: 'POST', path: `${STORED}/resume` }],
  [
    413,
    RESUME,
    {
      method: 'POST',
      path: `${STORED}/resume`,
      headers: JSON_TYPE,
      body: `"${'x'.repeat(70_000)}"`,
    },
  ],
  [415, RESUME, { method: 'POST', path: `${STORED}/resume`, headers: BEARER, body: '{}' }],
  [202, STOP, { method: 'POST', path: `${STORED}/stop`, headers: JSON_TYPE, body: '{}' }],
  [400, STOP, { method: 'POST', path: `${STORED}/stop`, headers: JSON_TYPE, body: '{"x":1}' }],
  [401, STOP, { method: 'POST', path: `${STORED}/stop` }],
  [404, STOP, { method: 'POST', path: '/scans/x/stop', headers: JSON_TYPE, body: '{}' }],
  [413, STOP, { method: 'POST', path: `${STORED}/stop`, headers: JSON_TYPE, body: LARGE }],
  [415, STOP, { method: 'POST', path: `${STORED}/stop`, headers: BEARER, body: '{}' }],
  ...EDITS.flatMap(({ path, url, method, body }): [number, string, TestRequest][] => [
    [200, path, { method, path: `${STORED}${url}`, headers: JSON_TYPE, body }],
    [400, path, { method, path: `${STORED}${url}`, headers: JSON_TYPE, body: '{"x":1}' }],
    [401, path, { method, path: `${STORED}${url}` }],
    [404, path, { method, path: `/scans/x${url}`, headers: JSON_TYPE, body }],
    [413, path, { method, path: `${STORED}${url}`, headers: JSON_TYPE, body: LARGE }],
    [415, path, { method, path: `${STORED}${url}`, headers: BEARER, body: '{}' }],
  ]),
  [200, PREVIEW, { path: `${STORED}/pages/1/preview`, headers: BEARER }],
  [
    304,
    PREVIEW,
    { path: `${STORED}/pages/1/preview`, headers: { ...BEARER, 'If-None-Match': '*' } },
  ],
  [401, PREVIEW, { path: `${STORED}/pages/1/preview` }],
  [404, PREVIEW, { path: `${STORED}/pages/9/preview`, headers: BEARER }],
  [422, PREVIEW, { path: `${STORED}/pages/2/preview`, headers: BEARER }],
  [
    204,
    '/session',
    { method: 'POST', path: '/session', headers: JSON_TYPE, body: '{"token":"t"}' },
  ],
  [400, '/session', { method: 'POST', path: '/session', headers: JSON_TYPE, body: '{}' }],
  [
    401,
    '/session',
    { method: 'POST', path: '/session', headers: JSON_TYPE, body: '{"token":"x"}' },
  ],
  [413, '/session', { method: 'POST', path: '/session', headers: JSON_TYPE, body: LARGE }],
  [415, '/session', { method: 'POST', path: '/session', body: '{}' }],
  [200, '/', { path: '/' }],
  [200, '/profiles', { path: '/profiles', headers: BEARER }],
  [401, '/profiles', { path: '/profiles' }],
  [200, '/profiles/{name}', { path: '/profiles/default', headers: BEARER }],
  [401, '/profiles/{name}', { path: '/profiles/default' }],
  [404, '/profiles/{name}', { path: '/profiles/no', headers: BEARER }],
  [200, '/metrics', { path: '/metrics', headers: BEARER }],
  [401, '/metrics', { path: '/metrics' }],
  [200, '/self-test', { path: '/self-test', headers: BEARER }],
  [400, '/self-test', { path: '/self-test?refresh=maybe', headers: BEARER }],
  [401, '/self-test', { path: '/self-test' }],
  [200, '/scanners', { path: '/scanners', headers: BEARER }],
  [400, '/scanners', { path: '/scanners?refresh=maybe', headers: BEARER }],
  [401, '/scanners', { path: '/scanners' }],
  [200, '/metadata/{list}', { path: '/metadata/tags', headers: BEARER }],
  [400, '/metadata/{list}', { path: '/metadata/tags?x=1', headers: BEARER }],
  [401, '/metadata/{list}', { path: '/metadata/tags' }],
  [404, '/metadata/{list}', { path: '/metadata/tags?profile=no', headers: BEARER }],
  [503, '/metadata/{list}', { path: '/metadata/correspondents', headers: BEARER }],
  [200, '/health', { path: '/health' }],
  [200, '/ready', { path: '/ready' }],
  [200, '/version', { path: '/version' }],
  [501, '/jobs', { path: '/jobs' }],
  [501, '/jobs/{id}', { path: '/jobs/1' }],
  [501, '/jobs/{id}/cancel', { method: 'POST', path: '/jobs/1/cancel' }],
  [200, '/openapi.yaml', { path: '/openapi.yaml' }],
  [200, '/openapi.json', { path: '/openapi.json' }],
  [200, '/docs', { path: '/docs' }],
];
