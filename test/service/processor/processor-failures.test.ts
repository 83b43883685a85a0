import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import {
  isTemporary,
  refused,
  sendingFailed,
  storingFailed,
  unexpected,
  unreachable,
} from '../../../service/processor/processor-failures.ts';
import { IncompleteAnswer } from '../../../service/processor/store-answer.ts';

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

test('what cannot be reached says why, and what to check', () => {
  const failure = unreachable(url, 'ENOTFOUND');
  assert.is(failure.code, 'processor_unreachable');
  assert.match(failure.message, /PROCESSOR_URL.*ENOTFOUND/);
});

test('a refusal keeps the words and the code of the processor', () => {
  const text = JSON.stringify({ error: 'unreadable_page', message: 'The image is damaged.' });
  const failure = refused(url, 'Recognition of page-0001.tif', { status: 422, text });
  assert.is(failure.code, 'processing_failed');
  assert.is(failure.message, 'Recognition of page-0001.tif failed. The image is damaged.');
  assert.equal(failure.facts, { processor_error: 'unreadable_page' });
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

test('a full disk of ours is insufficient_storage, with its cause', () => {
  const cause = Object.assign(new Error('write'), { code: 'ENOSPC' });
  const failure = storingFailed(url, 'the page', cause);
  assert.instance(failure, Failure);
  assert.is((failure as Failure).code, 'insufficient_storage');
  assert.is((failure as Failure).cause, cause);
});

test('an incomplete answer is processing_failed, and anything else a bug', () => {
  const failure = storingFailed(url, 'the page', new IncompleteAnswer('7 of 8 bytes came'));
  assert.instance(failure, Failure);
  assert.match((failure as Failure).message, '7 of 8 bytes came');
  const bug = new TypeError('a bug');
  assert.is(storingFailed(url, 'the page', bug), bug);
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
