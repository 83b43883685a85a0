import { once } from 'node:events';
import path from 'node:path';
import { PAGES_DIR } from '../../simulators/pages/manifest.ts';
import { createIppOverUsb } from '../../simulators/usb-scanner/ipp-over-usb.ts';
import {
  createVirtualScanner,
  type VirtualScanner,
} from '../../simulators/virtual-scanner/virtual-scanner.ts';
import { assert, within } from '../support/suite.ts';
import { untilListed, untilTrue } from './bus.ts';
import type { Case } from './cases.ts';
import { freshSelfTestOf, says, looksLike } from './expectations.ts';
import { HOST, type Lab } from './lab.ts';
import { withProfiles } from './profile-files.ts';
import { begunScan, endedScan, scansOf } from './scans.ts';

const page = (name: string): string => path.join(PAGES_DIR, name);
const USB = [page('letter-bank.jpg'), page('invoice.jpg')] as const;
const DESK = [page('report.jpg')] as const;
const OFFICE = [page('letter-school.jpg')] as const;

const EVENT_MS = 600_000;
const SMALL = { mode: 'Gray', resolution: 100, processing: { ocr: false } };

/** Each `device` is a part of that scanner's name. */
const PROFILES = {
  usb: { ...SMALL, device: 'fi-6130dj', source: 'ADF Front', trigger: { button: 'scan' } },
  desk: { ...SMALL, device: 'Desk', source: 'ADF', trigger: { paper: true } },
  office: { ...SMALL, device: 'Office', source: 'ADF', trigger: { paper: true } },
} as const;

const AIRSCAN = '/etc/scan-service/sane.d/airscan.conf';
/** Where ipp-usb offers the first device that it finds. */
const IPP_USB = 'http://localhost:60000/eSCL';

/** Two more scanners besides the one on USB: `desk` behind ipp-usb, and `office` on the network. */
interface Others {
  readonly desk: VirtualScanner;
  readonly office: VirtualScanner;
}

export const THREE_SCANNERS: readonly Case[] = [
  {
    title: 'three scanners at once by name: on USB, with IPP over USB and on the network',
    run: (lab) =>
      withOthers(lab, async (others) => {
        await withProfiles(lab.guest, PROFILES, async () => {
          await seenWithoutPaper(lab, others);
          await allFeedAtOnce(lab, others);
          await oneJams(lab, others);
          await oneIsGone(lab);
        });
      }),
  },
];

async function withOthers(lab: Lab, run: (others: Others) => Promise<void>): Promise<void> {
  const desk = await createVirtualScanner({ name: 'Desk' });
  const office = await createVirtualScanner({ name: 'Office', host: '0.0.0.0' });
  const names = { manufacturer: 'Acme', name: 'Desk', serial: '333333' };
  const device = createIppOverUsb(desk.port, names);
  const socket = lab.guest.sockets[2];
  const lines = [
    `"Desk" = ${IPP_USB}, eSCL`,
    `"Office" = http://${HOST}:${office.port}/eSCL, eSCL`,
  ];
  try {
    socket?.plugIn(device);
    await lab.guest.run(`cp ${AIRSCAN} /root/airscan.conf
${lines.map((line) => `sed -i '/^.devices./a ${line}' ${AIRSCAN}`).join('\n')}
${untilTrue('(exec 3<>/dev/tcp/127.0.0.1/60000) 2>/dev/null')}`);
    await run({ desk, office });
  } finally {
    await socket?.unplug();
    device.close();
    await lab.guest.try(`mv /root/airscan.conf ${AIRSCAN}`);
    await Promise.all([desk.close(), office.close()]);
  }
}

/** Triggers must first see an empty scanner. */
async function seenWithoutPaper(lab: Lab, { desk, office }: Others): Promise<void> {
  const { body } = await lab.request('GET', '/scanners?refresh=true');
  for (const name of ['fi-6130dj', 'Desk', 'Office']) assert.match(JSON.stringify(body), name);
  const { body: profiles } = await lab.request('GET', '/profiles');
  assert.equal(profiles['problems'], []);
  for (const scanner of [desk, office]) await statusAsked(scanner, 3);
}

/**
 * The first scanner feeds until the others have finished, so no scan may wait for another's lock.
 */
async function allFeedAtOnce(lab: Lab, { desk, office }: Others): Promise<void> {
  const known = await scansOf(lab);
  lab.scanner.load(USB);
  lab.scanner.setFault({ kind: 'wait', atSheet: 1 });
  const waits = once(lab.scanner.events, 'waits');
  lab.scanner.state.scanButton = true;
  await within(EVENT_MS, waits, 'the middle of the first page');
  lab.scanner.state.scanButton = false;
  desk.load(DESK);
  office.load(OFFICE);
  const [usbId, deskId, officeId] = await Promise.all(
    ['usb', 'desk', 'office'].map((profile) => begunScan(lab, profile, known)),
  );
  const ofDesk = await endedScan(lab, deskId ?? '');
  const ofOffice = await endedScan(lab, officeId ?? '');
  const { body } = await lab.request('GET', `/scans/${usbId}`);
  assert.is(body['state'], 'scanning');
  lab.scanner.setFault();
  await looksLike(lab, ofDesk, DESK);
  await looksLike(lab, ofOffice, OFFICE);
  await looksLike(lab, await endedScan(lab, usbId ?? ''), USB);
}

async function oneJams(lab: Lab, { desk, office }: Others): Promise<void> {
  const known = await scansOf(lab);
  for (const scanner of [desk, office]) await statusAsked(scanner, 3);
  desk.setFault({ kind: 'jam', atPage: 1 });
  desk.load(DESK);
  office.load(OFFICE);
  const jammed = await endedScan(lab, await begunScan(lab, 'desk', known));
  const fine = await endedScan(lab, await begunScan(lab, 'office', known));
  desk.setFault(null);
  assert.equal([jammed.body['state'], fine.body['state']], ['failed', 'finished']);
  assert.match(JSON.stringify(jammed.body), 'scanner_jammed');
}

async function oneIsGone(lab: Lab): Promise<void> {
  const [socket] = lab.guest.sockets;
  await socket?.unplug();
  try {
    await lab.guest.run(untilListed(0));
    says(
      await freshSelfTestOf(lab, 'fi-6130dj'),
      /^fail: No scanner matches "fi-6130dj"; there are .*Desk.*Or switch the other scanner on\.$/u,
    );
  } finally {
    socket?.plugIn(lab.scanner);
    await lab.guest.run(untilListed(1));
  }
}

async function statusAsked({ events }: VirtualScanner, times: number): Promise<void> {
  for (let asked = 0; asked < times;) {
    const [request] = await within(EVENT_MS, once(events, 'request'), 'a reading');
    if (request?.path.endsWith('/ScannerStatus') === true) asked += 1;
  }
}
