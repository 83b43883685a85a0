import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { baseOf, endpointOf } from '../../../service/paperless/endpoint.ts';

const test = suite('endpoint');

const ADDRESSES: readonly (readonly [string, string])[] = [
  ['http://paperless:8000', 'http://paperless:8000/api/documents/post_document/'],
  ['http://paperless:8000/', 'http://paperless:8000/api/documents/post_document/'],
  ['https://nas.example/paperless', 'https://nas.example/paperless/api/documents/post_document/'],
  ['https://nas.example/a/b///', 'https://nas.example/a/b/api/documents/post_document/'],
  ['http://[fd00::1]:8000', 'http://[fd00::1]:8000/api/documents/post_document/'],
  ['HTTP://Paperless:8000', 'http://paperless:8000/api/documents/post_document/'],
  ['http://192.168.1.5#x', 'http://192.168.1.5/api/documents/post_document/'],
];

for (const [base, upload] of ADDRESSES) {
  test(`documents for ${base} go to ${upload}`, () => {
    assert.is(endpointOf(base)?.uploadUrl.href, upload);
  });
}

for (const bad of [
  '',
  'paperless:8000',
  'paperless',
  'ftp://paperless',
  'http://',
  'http://user:secret@paperless',
  'http://user@paperless',
  'http://paperless/?token=secret',
]) {
  test(`${JSON.stringify(bad)} is refused as a base address`, () => {
    assert.is(endpointOf(bad), undefined);
  });
}

const FROM = new URL('http://paperless/api/documents/post_document/');

const LOCATIONS: readonly (readonly [string, string | undefined])[] = [
  ['https://paperless.example/api/documents/post_document/', 'https://paperless.example'],
  ['https://nas.example/p/api/documents/post_document/', 'https://nas.example/p'],
  ['/accounts/login/?next=/api/', 'http://paperless/accounts/login'],
  ['https://user:secret@sso.example/login?token=secret', 'https://sso.example/login'],
  ['http://:', undefined],
  ['javascript:alert(1)', undefined],
  ['file:///etc/passwd', undefined],
];

for (const [location, base] of LOCATIONS) {
  test(`a redirect to ${location} leads to ${base}`, () => {
    assert.is(baseOf(location, FROM), base);
  });
}

test.run();
