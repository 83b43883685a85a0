import { timeZoneOf } from '../../../service/set-up/time-zone.ts';
import { outputOf } from '../../support/programs.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('names of time zones');

test('a time zone is spelled as TZ needs it', async () => {
  for (const [given, zone, minutes] of [
    ['Europe/Berlin', 'Europe/Berlin', '-120'],
    ['europe/berlin', 'Europe/Berlin', '-120'],
    ['EUROPE/BERLIN', 'Europe/Berlin', '-120'],
    ['Asia/Kolkata', 'Asia/Kolkata', '-330'],
    ['PRC', 'Asia/Shanghai', '-480'],
    ['utc', 'UTC', '0'],
  ] as const) {
    assert.is(timeZoneOf(given), zone);
    const script = "console.log(new Date('2026-07-01T12:00:00Z').getTimezoneOffset())";
    const offset = await outputOf(process.execPath, ['-e', script], { env: { TZ: zone } });
    assert.is(offset.trim(), minutes, given);
  }
});

test('what TZ does not take is no time zone', () => {
  for (const given of ['', '+01:00', '-0530', 'GMT+5', 'Mars/Olympus', '../../etc/passwd']) {
    assert.is(timeZoneOf(given), undefined, given);
  }
});
