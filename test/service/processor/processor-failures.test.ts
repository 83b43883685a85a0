import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isTemporary,
  refused,
  sendingFailed,
  unexpected,
  unreachable,
} from '../../../service/processor/processor-failures.ts';

const test = suite('failures of the processor');

const url = new URL('http://user:secret@processor:8081/base/');

test('an address is told without its credentials', () => {
  for (const failure of [
    unreachable(url, 'ECONNREFUSED'),
    unexpected(url, 'the health check', 'HTTP 502'),
    refused(url, 'the page', { status: 502, text: '<html>' }),
  ]) {
    assert.match(failure.message, 'http://processor:8081/base/');
    assert.not.match(failure.message, 'secret');
  }
});

test('an answer that is not the processor’s is told as such', () => {
  for (const text of [
    '',
    '<html>',
    '{}',
    '{"error":1,"message":"x"}',
    '[]',
    'null',
    '{"error":"x","message":"y","more":1}',
  ]) {
    const failure = refused(url, 'the page', { status: 502, text });
    assert.is(failure.code, 'processing_failed');
    assert.match(failure.message, /HTTP 502/, text);
    assert.equal(failure.facts, {});
  }
});

test('a file that cannot be sent is named where it is known, and what is no word of its file system is a bug', () => {
  const one = { paths: ['/scans/1/page-0001.tif'], without: 'go on without this page' };
  const two = { paths: ['/scans/1/a.pdf', '/scans/1/b.pdf'], without: 'have it made again' };
  const read = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
  const opened = Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/scans/1/b.pdf' });
  assert.match(
    String(sendingFailed(one, read)),
    /page-0001\.tif of the scan cannot be read \(EIO\)\. .* out of \/scans\/1 to go on without this page\.$/,
  );
  assert.match(
    String(sendingFailed(two, opened)),
    /b\.pdf of the scan cannot be read \(EACCES\)\. .* to have it made again\.$/,
  );
  assert.is(sendingFailed(two, read), read);
  const bug = new TypeError('a bug');
  assert.is(sendingFailed(one, bug), bug);
});

test('only the word of the processor says that it is stopping', () => {
  const text = '{"error":"shutting_down","message":"send it to another one"}';
  assert.is(isTemporary({ status: 503, text }), true);
  assert.is(
    isTemporary({ status: 408, text: text.replace('shutting_down', 'request_timeout') }),
    true,
  );
  assert.is(isTemporary({ status: 503, text: 'Service Unavailable' }), false);
  assert.is(isTemporary({ status: 503, text: text.replace('shutting_down', 'other') }), false);
});

test.run();
