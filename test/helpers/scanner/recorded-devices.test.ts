import { sensorsOf } from '../../../helpers/scanner/sensors.ts';
import { usualMode, usualResolution, usualSource } from '../../../helpers/scanner-words.ts';
import { describeDevice } from '../../../helpers/scanner/device-description.ts';
import { checkScan } from '../../../helpers/scanner/option-checks.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { parseDeviceList } from '../../../helpers/scanner/scanimage.ts';
import { suggestedProfile } from '../../../service/profiles/suggested-profile.ts';
import { assert, suite } from '../../support/suite.ts';
import { REQUEST } from './device-samples.ts';
import { printed, RECORDED_DEVICES, RECORDED_LISTS } from './recorded-devices.ts';

const test = suite('recorded devices');

for (const device of RECORDED_DEVICES) {
  const options = parseOptions(printed(device));
  const description = describeDevice(device.name, options);

  test(`${device.name}: every option is read, with what it offers`, () => {
    assert.is(options.length, device.options.length);
    const { sources, source, modes, resolutions } = description;
    assert.is(sources.join('|'), device.sources ?? '');
    assert.is(source, device.source);
    assert.is(modes.join('|'), device.modes ?? 'Lineart|Gray|Color');
    assert.equal(resolutions, device.resolutions);
    const [width_mm, height_mm] = device.max_page;
    assert.equal(description.max_page, { width_mm, height_mm });
    const all = options.map(({ name }) => name);
    const others = all.filter((name) => !description.options.includes(name));
    assert.equal(others.toSorted(), (device.others?.split('|') ?? []).toSorted());
    // A list with an empty word, or with a number and its unit, was read wrongly.
    const odd = options.filter(
      ({ name, constraint }) =>
        name !== 'df-diff' &&
        constraint.kind === 'words' &&
        constraint.values.some((word) => /^$|^\d+(?:dpi|mm)?$/u.test(word)),
    );
    assert.equal(odd, []);
  });

  test(`${device.name}: what is suggested for it is gray, both sides where it can, and accepted`, () => {
    const [source, mode] = device.suggested ?? [undefined, 'Gray'];
    const resolution = usualResolution(description.resolutions);
    assert.equal([usualSource(description.sources), usualMode(description.modes)], [source, mode]);
    assert.is(resolution, 300);
    const page_size = { width_mm: 148, height_mm: 210 };
    const request = { ...REQUEST, device: device.name, source, mode, resolution, page_size };
    checkScan(request, options);
    const offered = { ...description, source: source ?? null, max_page: null };
    const profile = suggestedProfile({ name: device.name, sources: [offered] }, undefined) ?? '';
    assert.match(profile, `mode: ${mode}\nresolution: 300\n`);
  });
}

for (const list of RECORDED_LISTS) {
  test(`a list of ${list.length} is read whole`, () => {
    const lines = list.map((fields) => fields.join('\u001F'));
    const expected = list.map(([name, vendor, model, type]) => ({ name, vendor, model, type }));
    assert.equal(parseDeviceList(`${lines.join('\n')}\n`), expected);
  });
}

test('of these devices, those of fujitsu and epjitsu report paper and have a button', () => {
  const reporting = RECORDED_DEVICES.filter((device) => {
    const found = sensorsOf(parseOptions(printed(device)));
    return found.paper === false && found.sensors['scan'] === false;
  });
  assert.is(reporting.length, 4);
});
