import { once } from 'node:events';
import path from 'node:path';
import { DocumentScanner } from '../../simulators/usb-scanner/document-scanner.ts';
import { PAGES_DIR } from '../../simulators/pages/manifest.ts';
import { assert } from '../support/suite.ts';
import { nodeOf, untilListed } from './bus.ts';
import {
  ALIKE_IN_BLACK,
  failedWith,
  freshSelfTestOf,
  looksLike,
  MAY_NOT_OPEN,
  says,
  selfTestOf,
  submitted,
} from './expectations.ts';
import type { Answer, Lab } from './lab.ts';
import { SCANNER, withProfiles } from './profile-files.ts';

export interface Case {
  readonly title: string;
  readonly run: (lab: Lab) => Promise<void>;
}

const page = (name: string): string => path.join(PAGES_DIR, name);
const BANK = page('letter-bank.jpg');
const SCHOOL = page('letter-school.jpg');
const INVOICE = page('invoice.jpg');
const REPORT = page('report.jpg');
const MINUTES = page('minutes.jpg');
const BROCHURE = page('brochure-color.jpg');

const STACK = [
  { front: BANK, back: INVOICE },
  { front: REPORT, back: MINUTES },
  { front: SCHOOL },
] as const;

const SIMPLEX = STACK.map(({ front }) => front);

export const CASES: readonly Case[] = [
  {
    title: 'the kernel, our udev rule and SANE recognize the scanner, and the unit may use it',
    run: async ({ guest, request }) => {
      assert.match(await guest.run('lsusb'), /ID 04c5:114f Fujitsu/u);
      assert.match(await guest.run(`ls -l ${await nodeOf(guest)}`), /^crw-rw---- 1 root scanner /u);
      const { body } = await request('GET', '/scanners?refresh=true');
      const text = JSON.stringify(body);
      assert.match(text, /fujitsu:fi-6130dj:111111/u);
      for (const source of ['ADF Front', 'ADF Back', 'ADF Duplex']) assert.match(text, source);
    },
  },
  {
    title: 'three sheets in gray, both sides, at 300 dpi: six correct pages are delivered',
    run: async (lab) => {
      lab.scanner.load(STACK);
      const answer = await lab.scan('gray');
      submitted(answer, 6);
      await looksLike(lab, answer, [BANK, INVOICE, REPORT, MINUTES, SCHOOL, undefined]);
    },
  },
  {
    title: 'colour at 300 dpi',
    run: async (lab) => {
      lab.scanner.load([BROCHURE, REPORT]);
      const answer = await lab.scan('color');
      submitted(answer, 2);
      await looksLike(lab, answer, [BROCHURE, REPORT]);
    },
  },
  {
    title: 'line art at 600 dpi, both sides',
    run: async (lab) => {
      lab.scanner.load([{ front: BANK, back: INVOICE }]);
      const answer = await lab.scan('lineart');
      submitted(answer, 2);
      await looksLike(lab, answer, [BANK, INVOICE], ALIKE_IN_BLACK);
    },
  },
  {
    title: 'an empty feeder is reported',
    run: async (lab) => {
      failedWith(await lab.scan('small'), 422, 'no_documents');
    },
  },
  {
    title: 'a jam at the second sheet keeps the first, and the rest continues the same scan',
    run: async (lab) => {
      lab.scanner.load(SIMPLEX);
      lab.scanner.setFault({ kind: 'jam', atSheet: 2 });
      const jammed = await lab.scan('small');
      failedWith(jammed, 502, 'scanner_jammed');
      assert.is(jammed.body['page_count'], 1);
      lab.scanner.setFault();
      const rest = await lab.request('POST', '/scan', { continue_scan: jammed.body['scan_id'] });
      submitted(rest, 3);
      await looksLike(lab, rest, SIMPLEX);
    },
  },
  {
    title: 'a double feed stops the scan, keeps its pages, and is reported',
    run: async (lab) => {
      lab.scanner.load(SIMPLEX);
      lab.scanner.setFault({ kind: 'doubleFeed', atSheet: 3 });
      const answer = await lab.scan('small');
      failedWith(answer, 502, 'scanner_jammed');
      assert.is(answer.body['page_count'], 2);
    },
  },
  {
    title: 'an open cover is named',
    run: async (lab) => {
      lab.scanner.load(SIMPLEX);
      lab.scanner.state.coverOpen = true;
      failedWith(await lab.scan('small'), 502, 'cover_open');
      assert.is(await selfTestOf(lab, SCANNER), `warn: The cover of ${SCANNER} is open. Close it.`);
    },
  },
  {
    title: 'a sleeping scanner wakes up',
    run: async (lab) => {
      lab.scanner.load(SIMPLEX);
      lab.scanner.state.asleep = true;
      says(await selfTestOf(lab, SCANNER), /^ok/u);
      submitted(await lab.scan('small'), 3);
    },
  },
  {
    title: 'a slow bus is only slow',
    run: async (lab) => {
      lab.scanner.load([BANK]);
      lab.scanner.state.transferMs = 60;
      submitted(await lab.scan('small'), 1);
    },
  },
  {
    title:
      'a cable pulled in the middle of a page: the first page is kept, and the next scan works with a new device number',
    run: async (lab) => {
      const [socket] = lab.guest.sockets;
      const before = await nodeOf(lab.guest);
      lab.scanner.load(SIMPLEX);
      lab.scanner.setFault({ kind: 'wait', atSheet: 2 });
      const waits = once(lab.scanner.events, 'waits');
      const scanned = lab.scan('small');
      await Promise.race([waits, scanned]);
      await socket?.unplug();
      let answer: Answer;
      try {
        answer = await scanned;
        assert.is(answer.status, 502, JSON.stringify(answer.body));
        assert.is(answer.body['page_count'], 1);
        await lab.guest.run(untilListed(0));
        says(
          await selfTestOf(lab, SCANNER),
          /^fail: The scanner cannot be opened\. Switch the scanner on, check its cable/u,
        );
        await withProfiles(lab.guest, { model: { device: 'fi-6130dj' } }, async () => {
          says(
            await freshSelfTestOf(lab, 'fi-6130dj'),
            /^fail: No scanner was found\. Switch it on, and check its cable and its driver\./u,
          );
        });
      } finally {
        socket?.plugIn(lab.scanner);
      }
      assert.is.not(await nodeOf(lab.guest), before, 'the same number');
      lab.scanner.setFault();
      const rest = await lab.request('POST', '/scan', { continue_scan: answer.body['scan_id'] });
      assert.is(rest.status, 200, JSON.stringify(rest.body));
    },
  },
  {
    title: 'scanimage killed in the middle of a transfer: the next scan works',
    run: async (lab) => {
      lab.scanner.load(SIMPLEX);
      lab.scanner.setFault({ kind: 'wait', atSheet: 2 });
      const waits = once(lab.scanner.events, 'waits');
      const scanned = lab.scan('small');
      await Promise.race([waits, scanned]);
      await lab.guest.run('pkill -9 -x scanimage');
      const answer = await scanned;
      assert.is(answer.status, 502, JSON.stringify(answer.body));
      assert.is(answer.body['page_count'], 1);
      lab.scanner.setFault();
      lab.scanner.load([BANK]);
      submitted(await lab.scan('small'), 1);
    },
  },
  {
    title: 'a device without permission: reported before feeding, and fixed by the udev rule',
    run: async (lab) => {
      lab.scanner.load([BANK]);
      await lab.guest.run(`chmod 0600 ${await nodeOf(lab.guest)}`);
      const answer = await lab.scan('small');
      assert.is(answer.status, 503, JSON.stringify(answer.body));
      says(await selfTestOf(lab, SCANNER), MAY_NOT_OPEN);
      await lab.guest.run('udevadm trigger --subsystem-match=usb --action=add; udevadm settle');
      submitted(await lab.scan('small'), 1);
    },
  },
  {
    title: 'two scanners by name, the second while the first feeds',
    run: async (lab) => {
      const other = new DocumentScanner(222222);
      other.load([REPORT]);
      lab.scanner.load([BANK]);
      const socket = lab.guest.sockets[1];
      socket?.plugIn(other);
      try {
        await lab.guest.run(untilListed(2));
        lab.scanner.setFault({ kind: 'wait', atSheet: 1 });
        const waits = once(lab.scanner.events, 'waits');
        const first = lab.scan('small');
        await Promise.race([waits, first]);
        const two = await lab.scan('second');
        submitted(two, 1);
        lab.scanner.setFault();
        const one = await first;
        submitted(one, 1);
        await looksLike(lab, one, [BANK]);
        await looksLike(lab, two, [REPORT]);
        await withProfiles(lab.guest, { model: { device: 'fi-6130dj' } }, async () => {
          says(
            await freshSelfTestOf(lab, 'fi-6130dj'),
            /^fail: Several scanners match "fi-6130dj": .*Set device in the profile to one of: fujitsu:fi-6130dj:\d+, fujitsu:fi-6130dj:\d+\.$/u,
          );
        });
      } finally {
        await socket?.unplug();
        await lab.guest.run(untilListed(1));
      }
    },
  },
  {
    title: 'sensors: paper, the scan button and the function number; an unknown button is reported',
    run: async (lab) => {
      const look = `SANE_CONFIG_DIR=/etc/scan-service/sane.d:/etc/sane.d scanimage -d fujitsu:fi-6130dj:111111 -A`;
      const empty = await lab.guest.run(look);
      assert.match(empty, /--page-loaded\[=\(yes\|no\)\] \[no\] \[hardware\]/u);
      lab.scanner.load([BANK]);
      Object.assign(lab.scanner.state, { scanButton: true, functionNumber: 3 });
      const pressed = await lab.guest.run(look);
      assert.match(pressed, /--page-loaded\[=\(yes\|no\)\] \[yes\] \[hardware\]/u);
      assert.match(pressed, /--scan\[=\(yes\|no\)\] \[yes\] \[hardware\]/u);
      assert.match(pressed, /--function <int> \[3\] \[hardware\]/u);
      await withProfiles(lab.guest, { waiting: { trigger: { button: 'start' } } }, async () => {
        says(
          await selfTestOf(lab, 'waiting', 'trigger'),
          /^fail: fujitsu:fi-6130dj:111111 reports no button "start"\. It reports: .*\bscan\b/u,
        );
      });
    },
  },
];
