import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import Joi from 'joi';
import { errorCode } from '../../helpers/error-code.ts';
import { CATALOGUE, Failure, isFailureCode } from '../../helpers/failure.ts';
import { freeBytes } from '../../helpers/free-bytes.ts';
import { readAsk } from '../../helpers/ipc/contract.ts';
import { poll } from '../../helpers/poll.ts';
import { parseJson, readJson } from '../../helpers/read-json.ts';
import { deviceName, optionText, scannerOptions } from '../../helpers/scanner-text.ts';
import { createReader, fill, type Sentences } from '../../helpers/sentences.ts';
import { explainWarning, warning, WARNING_SENTENCES } from '../../helpers/warnings.ts';
import {
  cause,
  CAUSE_SENTENCES,
  explainCause,
  SEARCH_FIRST,
} from '../../service/paperless/causes.ts';
import { profileSchema } from '../../service/profiles/schema.ts';
import { capturedLog } from '../support/captured-log.ts';
import { assert, EVENT_MS, rejection, suite, within } from '../support/suite.ts';

const failures = suite('failures');

failures('carry code, status, message, remedy, facts and cause', () => {
  const cause = new Error('low level');
  const [what, remedy] = ['The feeder is empty.', 'Put paper in.'];
  const failure = new Failure('no_documents', what, { remedy, facts: { a: 1 }, cause });
  const { code, status, message, facts, name } = failure.withFacts({ a: 2, b: 3 });
  assert.equal([code, status, name], ['no_documents', 422, 'Failure']);
  assert.is(message, `${what} ${remedy}`);
  assert.equal(facts, { a: 1, b: 3 });
  assert.is(failure.cause, cause);
  assert.equal([failure.what, failure.remedy], [what, remedy]);
});

failures('foreign codes are accepted only if they are in the catalogue', () => {
  for (const code of Object.keys(CATALOGUE)) assert.ok(isFailureCode(code));
  for (const code of ['__proto__', 'toString', 'nonsense', '', undefined, 5]) {
    assert.not.ok(isFailureCode(code));
  }
});

const codes = suite('the code of an error');

codes('is that of the system, or undefined', async () => {
  assert.is(errorCode(await rejection(access('/nonexistent'))), 'ENOENT');
  for (const error of [new Error('x'), { code: 'ENOENT' }, 'ENOENT', undefined]) {
    assert.is(errorCode(error), undefined);
  }
});

const logs = suite('the log');

logs('has one JSON object per line, with name, level and time', () => {
  const { log, lines } = capturedLog();
  log.child({ scan_id: 'x' }).warn({ page: 3 }, 'a page');
  const [line] = lines();
  const said = { name: 'test', level: 'warn', scan_id: 'x', page: 3, msg: 'a page' };
  assert.equal({ ...line, ...said }, line);
  assert.ok(!Number.isNaN(Date.parse(String(line?.['time']))));
});

logs('errors and their causes are logged by an allow-list', () => {
  const { log, text, lines } = capturedLog();
  const low = Object.assign(new Error('refused'), {
    code: 'ECONNREFUSED',
    options: { headers: { authorization: 'Token very-secret' } },
  });
  log.error(
    { err: new Failure('processor_unreachable', 'no processor', { cause: low }) },
    'failed',
  );
  log.error({ error: low });
  assert.not.match(text(), /very-secret/);
  const err = lines()[0]?.['err'] as Record<string, unknown>;
  assert.is(err['code'], 'processor_unreachable');
  assert.is(err['stack'], undefined, 'an expected failure needs no stack');
  assert.is((err['cause'] as Record<string, unknown>)['code'], 'ECONNREFUSED');
});

logs('thrown values that are not errors do not break it', () => {
  const { log, lines } = capturedLog();
  log.error({ err: 'text' });
  log.error({ err: null });
  const loop = new Error('loop');
  loop.cause = loop;
  log.error({ err: loop });
  assert.is(lines().length, 3);
});

const json = suite('JSON from outside');

const schema = Joi.object<{ pages: number }>({ pages: Joi.number().required() });

json('is returned unchanged if it matches, otherwise undefined', () => {
  assert.equal(readJson('{"pages":3}', schema), { pages: 3 });
  for (const text of ['{"pages":"3"}', '{}', 'null', '[]', '"{\\"pages\\":3}"', '{"pages":', '']) {
    assert.is(readJson(text, schema), undefined, text);
  }
});

json('without a schema is returned unchecked', () => {
  assert.equal(parseJson('[1]'), [1]);
  assert.is(parseJson('null'), null);
  assert.is(parseJson('<html>'), undefined);
});

const space = suite('free bytes');

space('are those of the file system', async () => {
  assert.ok((await freeBytes(tmpdir())) > 0);
  assert.is(await freeBytes('/proc'), 0);
});

const polls = suite('periodic looks');

polls(
  'looks once before it begins; a failed look is reported and keeps the last result',
  async () => {
    let looks = 0;
    const errors: unknown[] = [];
    const { promise: fourth, resolve } = Promise.withResolvers<void>();
    const look = async (): Promise<number> => {
      looks += 1;
      if (looks === 2) throw new Error('broken');
      if (looks === 4) resolve();
      return looks;
    };
    const polled = await poll({ look, everyMs: 5, onError: (error) => errors.push(error) });
    assert.is(polled.value(), 1);
    await within(EVENT_MS, fourth, 'the fourth look');
    polled.close();
    assert.match(String(errors), /broken/);
    assert.ok(Number(polled.value()) >= 3);
    const before = looks;
    await new Promise((passed) => setTimeout(passed, 50));
    assert.is(looks, before, 'none after the end');
  },
);

polls('a hanging look blocks further looks, but delays the start only briefly', async () => {
  let looks = 0;
  const look = (): Promise<never> => new Promise(() => (looks += 1));
  const onError = (error: unknown): never => assert.unreachable(String(error)) as never;
  const started = poll({ look, everyMs: 1, firstMs: 50, onError });
  const polled = await within(EVENT_MS, started, 'the start');
  assert.is(looks, 1);
  assert.is(polled.value(), undefined);
  polled.close();
});

const sentences = suite('sentences with codes and facts');

function factsFor(template: string): Record<string, string | number> {
  const names = [...template.matchAll(/\{(#?)(\w+)\}/g)];
  return Object.fromEntries(
    names.map(([, mark, name = ''], index) => [name, mark === '#' ? index + 1 : `some-${name}`]),
  );
}

const CATALOGUES: Record<string, Sentences> = {
  warnings: WARNING_SENTENCES,
  causes: CAUSE_SENTENCES,
};

for (const [what, catalogue] of Object.entries(CATALOGUES)) {
  sentences(`every sentence of the ${what} parses back into its code and facts`, () => {
    const read = createReader(catalogue);
    for (const [key, template] of Object.entries(catalogue)) {
      const facts = factsFor(template);
      const code = key.split('/')[0];
      assert.equal(read(fill(template, facts)), { code, facts }, key);
    }
  });
}

sentences('a warning is parsed with the page or document named before it', () => {
  assert.equal(explainWarning(`Page 12: ${warning('not_turned', {})}`), {
    code: 'not_turned',
    facts: { page: 12 },
  });
  const there = warning('already_there', { system: 'http://dms', id: 7 });
  assert.equal(explainWarning(`document-0002.pdf: ${there}`), {
    code: 'already_there',
    facts: { system: 'http://dms', id: 7, document: 'document-0002.pdf' },
  });
});

sentences('a cause is parsed even if it asks to search first', () => {
  const gone = cause('no_answer/time', { system: 'http://dms', seconds: '60 s' });
  const said = { code: 'no_answer', facts: { system: 'http://dms', seconds: '60 s' } };
  assert.equal(explainCause(`${gone} ${SEARCH_FIRST}`), said);
  assert.equal(explainCause(warning('being_filed', { system: 'http://dms' }))?.code, 'being_filed');
});

sentences('several unusable names are all named; a failed lookup is reported as the cause', () => {
  const missing = ['a', 'b'].map((name) =>
    cause('name_missing', { kind: 'tag', name, system: 'http://dms' }),
  );
  assert.equal(explainCause(missing.join(' ')), {
    code: 'name_missing',
    facts: { kind: 'tag', name: 'a", "b', system: 'http://dms' },
  });
  const values = ['Amount', 'Due'].map((name) =>
    cause('name_unusable/value', { name, value: '"x"', expected: 'a number' }),
  );
  assert.equal(explainCause(values.join(' ')), {
    code: 'name_unusable',
    facts: { name: 'Amount", "Due', value: '"x"', expected: 'a number' },
  });
  const other = cause('name_missing', { kind: 'document type', name: 'c', system: 'http://dms' });
  assert.equal(
    explainCause([...values, missing[0], other].join(' '))?.facts['name'],
    'Amount", "Due',
  );
  assert.equal(explainCause([missing[0], other].join(' ')), {
    code: 'name_missing',
    facts: { kind: 'name', name: 'a", "c', system: 'http://dms' },
  });
  const lookUp = { kind: 'tag', name: 'a' };
  const refused = cause('token/refused', { said: '401', secret: 'paperless' });
  assert.equal(explainCause(cause('unreachable/names', { ...lookUp, cause: refused })), {
    code: 'token',
    facts: { said: '401', secret: 'paperless' },
  });
  const slow = cause('unreachable/names', { ...lookUp, cause: 'http://dms did not answer.' });
  assert.is(explainCause(slow)?.code, 'unreachable');
});

sentences('quoted text cannot end its quotation, and unknown sentences are not explained', () => {
  const text = warning('code_not_used', { text: 'a" is not used: it must be "b' });
  assert.equal(explainWarning(`Page 1: ${text}`), {
    code: 'code_not_used',
    facts: { page: 1, text: "a' is not used: it must be 'b" },
  });
  assert.is(explainWarning('Page 3 is nearly blank.'), undefined);
  assert.is(explainCause('Something else.'), undefined);
});

const words = suite('text that may be passed to a scanner driver');

const spoken = Joi.object({ device: deviceName, source: optionText, options: scannerOptions });

function problem(value: object): string {
  return spoken.validate(value, { convert: false }).error?.message ?? '';
}

const ONE_LINE = 'must be one line of text without control characters, at most 300 characters';

words('is one line, and a device does not begin with a dash', () => {
  assert.is(
    problem({ device: '--version' }),
    `"device" ${ONE_LINE}, and must not begin with a dash`,
  );
  assert.is(problem({ source: 'ADF\nDuplex' }), `"source" ${ONE_LINE}`);
  assert.is(problem({ source: '' }), `"source" ${ONE_LINE}`);
  assert.is(problem({ source: 'x'.repeat(301) }), `"source" ${ONE_LINE}`);
  assert.match(problem({ options: { a: '\u0007' } }), ONE_LINE);
  assert.match(
    problem({ options: { a: [] } }),
    '"options.a" must be a number, true, false or text',
  );
  assert.match(problem({ options: { '--a': 1 } }), 'without dashes in front');
  assert.is(problem({ device: 'airscan:e0:Büro 1', source: 'ADF', options: { a: '', b: 1 } }), '');
});

const SETTINGS: [string, object][] = [
  ['the device --version', { device: '--version' }],
  ['a line break in the device', { device: 'a:b\nc' }],
  ['a control character in the source', { source: 'ADF\u0000' }],
  ['half a surrogate pair in the mode', { mode: 'Gr\uD800' }],
  ['a control character in an option', { scanner_options: { swcrop: 'a\tb' } }],
  ['an option with a dash in front', { scanner_options: { '-x': 3 } }],
  ['an empty option', { scanner_options: { note: '' } }],
  ['an option with capitals and _', { scanner_options: { Adf_mode: 'Duplex' } }],
  ['a long source', { source: 'x'.repeat(300) }],
];
for (const [title, settings] of SETTINGS) {
  words(`a profile with ${title} loads only if the scanner runtime accepts it`, () => {
    const size = { width_mm: 210, height_mm: 297 };
    const scan = { device: 'auto', mode: 'Gray', resolution: 300, page_size: size };
    const profile = { name: 'a', destinations: [], ...scan, ...settings };
    const { error } = profileSchema({ output_dir: '/scans' }).validate(profile);
    const rest = { max_pages: 1, directory: '/scans/1', first_page: 1, first_sheet: 1 };
    const request = { ...scan, scanner_options: {}, ...rest, ...settings };
    const takes = (): unknown => readAsk('scan', { id: '1', ask: request });
    if (error) assert.throws(takes);
    else takes();
  });
}
