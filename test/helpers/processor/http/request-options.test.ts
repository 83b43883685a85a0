import { Failure } from '../../../../helpers/failure.ts';
import {
  readDocumentOptions,
  readPageOptions,
} from '../../../../helpers/processor/http/request-options.ts';
import { assert, suite } from '../../../support/suite.ts';

const test = suite('options of requests');

const page = (query: string): unknown => readPageOptions(new URLSearchParams(query));

function refused(read: () => unknown, expected: RegExp, wanted = 'invalid_parameter'): void {
  assert.throws(
    read,
    (error: unknown) =>
      error instanceof Failure && error.code === wanted && expected.test(error.message),
    String(expected),
  );
}

const DEFAULTS = {
  languages: ['eng'],
  deskew: false,
  rotate_pages: true,
  optimize: 1,
  examine: false,
  codes: false,
  separators: [],
  drop_blank: false,
  rotate: 0,
  crop: false,
  lineart: false,
  ocr: true,
  usual_turn: 0,
};

test('a page has defaults', () => {
  assert.equal(page(''), DEFAULTS);
});

test('a page takes what is given', () => {
  const given = 'languages=deu,script/Latin,chi_sim_vert&deskew=true&rotate_pages=false&optimize=3';
  const languages = ['deu', 'script/Latin', 'chi_sim_vert'];
  const plain = { ...DEFAULTS, languages, deskew: true, rotate_pages: false, optimize: 3 };
  assert.equal(page(given), plain);
  const examined = {
    examine: true,
    codes: true,
    separators: ['PATCHT', 'Trenn Blatt'],
    rotate: 180,
  };
  const query = 'examine=true&codes=true&separators=PATCHT,Trenn%20Blatt&rotate=180';
  assert.equal(page(query), { ...DEFAULTS, ...examined });
  assert.equal(page('separators='), DEFAULTS);
});

test('what cannot be meant is refused by name', () => {
  for (const [query, said] of [
    ['deskew=perhaps', /deskew/],
    ['optimize=4', /optimize/],
    ['optimize=0.5', /optimize/],
    ['optimise=1', /optimise/],
    ['rotate=45', /"rotate" must be 0, 90, 180 or 270/],
    ['separators=a,,b', /separators.*without commas/],
    ['deskew=true&deskew=false', /"deskew" is given twice/],
    ['deskew=x&optimize=9', /deskew.*optimize/s],
  ] as const)
    refused(() => page(query), said);
});

test('a language is the name of a model and never a path or an option', () => {
  const paths = ['../../etc/passwd', 'eng/../x', '/etc', 'script/'];
  for (const language of ['', 'e', ...paths, '-psm', 'eng+deu', 'eng deu', 'ö', 'a'.repeat(41)]) {
    refused(() => page(new URLSearchParams({ languages: language }).toString()), /languages/);
  }
  refused(() => page('languages=eng,eng'), /different languages/);
  const eleven = Array.from({ length: 11 }, (_, index) => `l${index}`);
  refused(() => page(`languages=${eleven.join(',')}`), /10/);
});

test('a document has defaults and takes what is given', () => {
  const defaults = { title: '', output_type: 'pdfa' };
  assert.equal(readDocumentOptions('{}'), defaults);
  const given = { title: 'Ärger & <Müll> 🖨', output_type: 'pdf' };
  assert.equal(readDocumentOptions(JSON.stringify(given)), given);
  assert.ok(Object.isFrozen(readDocumentOptions('{}')));
});

test('options of a document that are no JSON object of these are refused', () => {
  refused(() => readDocumentOptions('{'), /not JSON/, 'invalid_body');
  for (const text of [
    'null',
    '[]',
    '"x"',
    '{"title":1}',
    '{"title":"a\\nb"}',
    '{"output_type":"pdfx"}',
    '{"optimize":"1"}',
    '{"x":1}',
    '{"languages":["eng"]}',
  ]) {
    refused(() => readDocumentOptions(text), /The part "options" is wrong/, 'invalid_body');
  }
});
