import { Failure } from '../../../../helpers/failure.ts';
import {
  createLanguagesStep,
  type LanguagesStep,
  type LanguagesStepOptions,
} from '../../../../service/set-up/steps/languages-step.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { stepBench } from './step-bench.ts';

const test = withFixture('the step that sets languages and time zone', async (directory) => {
  const bench = await stepBench(directory);
  const { files, settings, reload } = bench;
  return {
    ...bench,
    step: (more: Partial<LanguagesStepOptions> = {}): LanguagesStep =>
      createLanguagesStep({
        files,
        settings,
        installed: () => ['deu', 'eng'],
        fixedZone: undefined,
        reload,
        ...more,
      }),
  };
});

test('the step stores codes and names of languages, each once, and the time zone', async ({
  step,
  settings,
  reloads,
}) => {
  const wanted = { languages: ['German', 'eng', 'deu'], time_zone: 'Europe/Berlin' };
  const stored = { languages: ['deu', 'eng'], time_zone: 'Europe/Berlin' };
  assert.equal(await step()(wanted), { ...stored, missing: [], text: null });
  assert.equal(settings.current(), stored);
  assert.is(reloads(), 1);
  const only = await step()({ time_zone: 'Europe/Vienna' });
  assert.equal([only.languages, only.time_zone], [['deu', 'eng'], 'Europe/Vienna']);
});

test('the step reads one language from each entry, also a name with spaces', async (given) => {
  const { step, settings } = given;
  const set = await step()({ languages: ['Norwegian Bokmål', ' German ', 'deu'] });
  assert.equal(set.languages, ['nor', 'deu']);
  const many = ['deu eng fra spa', 'ita por nld pol', 'ces slk slv'];
  await failure('invalid_body', step()({ languages: many }));
  assert.equal(settings.current().languages, ['nor', 'deu']);
});

test('the step stores a language that is not installed, and says how to install it', async (given) => {
  const { step, settings } = given;
  const set = await step()({ languages: ['deu', 'fra', 'chi_sim'] });
  assert.equal(set.missing, ['fra', 'chi_sim']);
  const { en, de } = set.text ?? { en: '', de: '' };
  assert.match(en, /^Not installed yet: French, chi_sim\. .*`fra chi_sim` to OCR_LANGUAGES/);
  assert.match(de, /^Noch nicht installiert: Französisch, chi_sim\. .*`fra chi_sim` in .*OCR_LANG/);
  for (const text of [en, de]) {
    assert.match(text, '`docker compose up --detach --build`');
    assert.match(text, '`apt-get install tesseract-ocr-fra tesseract-ocr-chi-sim`');
  }
  assert.equal(settings.current().languages, ['deu', 'fra', 'chi_sim']);
});

test('the step waits for a processor that is starting, but not for long', async ({ step }) => {
  const starting = [undefined, undefined];
  const installed = (): readonly string[] | undefined =>
    starting.length > 0 ? starting.shift() : ['eng'];
  const set = await step({ installed })({ languages: ['eng', 'fra'] });
  assert.equal(set.missing, ['fra']);
  const unknown = await step({ installed: () => undefined, startMs: 0 })({ languages: ['fra'] });
  assert.equal(unknown.missing, []);
});

test('the step refuses an invalid language or time zone, with a text in both languages', async (given) => {
  const { step, settings } = given;
  for (const [wanted, problem] of [
    [{ languages: ['../../etc'] }, 'languages.unknown'],
    [{ languages: ['-l'] }, 'languages.unknown'],
    [{ languages: [' '] }, 'languages.unknown'],
    [{ languages: ['eng'], time_zone: 'Mars/Olympus' }, 'time_zone.unknown'],
    [{ time_zone: '' }, 'time_zone.unknown'],
    [{ time_zone: '../../etc/passwd' }, 'time_zone.unknown'],
    // Intl accepts it, but with it in TZ, Node would show UTC.
    [{ time_zone: '+01:00' }, 'time_zone.unknown'],
  ] as const) {
    const error = await failure('invalid_body', step()(wanted));
    assert.ok(error instanceof Failure);
    assert.is(error.facts['problem'], problem);
    assert.match(JSON.stringify(error.facts['text']), /"en":.*"de":/);
  }
  assert.equal(settings.current(), {});
});

test('the step does not change a time zone of the operator', async ({ step, settings }) => {
  const fixed = step({ fixedZone: 'Europe/Rome' });
  const error = await failure('set_up_closed', fixed({ time_zone: 'UTC' }));
  assert.ok(error instanceof Failure);
  assert.is(error.facts['fixed_by'], 'TZ');
  const { time_zone } = await fixed({ languages: ['ita'], time_zone: 'Europe/Rome' });
  assert.is(time_zone, 'Europe/Rome');
  assert.equal(settings.current(), { languages: ['ita'] });
});
