import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unknownUploadWarning } from '../../../../service/paperless/upload/unknown-upload.ts';

const test = suite('the warning of an unknown upload');

const scan_id = '1';
const destination = { base_url: 'http://paperless:8000/' };

test('names the system, and the title and file name as they are stored there', () => {
  assert.is(
    unknownUploadWarning({ scan_id, destination, filename: 'a/Größe.pdf', title: '{{ 1 }}' }),
    'It is unknown whether http://paperless:8000 accepted a Größe.pdf. Search its documents and its file tasks for the title "{ { 1 } }" or the file name "a Größe.pdf". If it is not there, POST {"resend_unknown": true} to /scans/1/resume.',
  );
});

test('has no title where none was sent', () => {
  assert.match(
    unknownUploadWarning({ scan_id, destination, filename: 'a.pdf', title: ' ' }),
    /Search its documents and its file tasks for the file name "a\.pdf"\. If/,
  );
});

test('names no address that may hold a secret', () => {
  const unsafe = { base_url: 'http://user:secret@paperless' };
  const warning = unknownUploadWarning({
    scan_id,
    destination: unsafe,
    filename: 'a.pdf',
    title: 'A',
  });
  assert.match(warning, /^It is unknown whether the destination accepted a\.pdf\./);
});

test.run();
