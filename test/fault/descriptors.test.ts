import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Appliance } from '../support/appliance/appliance.ts';
import type { Part } from '../support/appliance/part.ts';
import { limitDescriptors } from '../support/limit-descriptors.ts';
import { BLANK_PAGE, checkAfter } from './support/invariants.ts';
import { type Call, type FaultBench, withFaultBench } from './support/fault-bench.ts';
import { descriptorsOf } from '../support/processes.ts';
import { assert, suite } from '../support/suite.ts';

const CONNECT_MS = 10_000;

/** The open-file limit at which a process can still open `more` files. Files above it stay open. */
function limitWithRoomFor(pid: number, more: number): number {
  const taken = new Set(descriptorsOf(pid));
  let limit = 0;
  for (let free = 0; free < more; limit += 1) if (!taken.has(limit)) free += 1;
  return limit;
}

async function holdConnections(
  address: NetConnectOpts,
  count: number,
): Promise<() => Promise<void>> {
  const sockets = Array.from({ length: count }, () => connect({ ...address, timeout: CONNECT_MS }));
  for (const socket of sockets) socket.on('error', () => {});
  await Promise.all(sockets.map(settled));
  return async () => {
    const open = sockets.filter((socket) => !socket.closed);
    const closed = open.map((socket) => once(socket, 'close'));
    for (const socket of open) socket.destroy();
    await Promise.all(closed);
  };
}

function settled(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('connect', resolve);
    socket.once('close', () => resolve());
  });
}

const test = suite<{ bench: FaultBench }>('out of file descriptors');

const USUAL_LIMIT = 1024;

/** Time limit for a part to accept connections or notice that they are gone. */
const NOTICE_MS = 10_000;
const LOOK_EVERY_MS = 5;

/** How many scans may succeed before the shortage takes effect. */
const MOST_TRIES = 5;

interface Shortage {
  readonly part: (appliance: Appliance) => Part;
  readonly address: (appliance: Appliance) => NetConnectOpts;
  /** Free descriptors: enough for the part's work until connections use them up. */
  readonly room: number;
}

const SHORTAGES: Readonly<Record<string, Shortage>> = {
  'the service': {
    part: ({ service }) => service,
    address: ({ service }) => ({ host: '127.0.0.1', port: service.port() }),
    room: 20,
  },
  'the scanner runtime': {
    part: ({ runtime }) => runtime,
    address: ({ directory }) => ({ path: path.join(directory, 'scanner.sock') }),
    // Fewer than the 16 connections that the runtime accepts, so that descriptors run out first.
    room: 12,
  },
  'the processor': {
    part: ({ processor }) => processor,
    address: ({ processor }) => ({ host: '127.0.0.1', port: processor.port() }),
    room: 40,
  },
};

withFaultBench(test);

/** Polls, since another process's open files cause no events. */
async function untilTrue(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const until = performance.now() + NOTICE_MS;
  while (!(await isTrue())) {
    if (performance.now() > until) throw new Error(`${what} did not come about`);
    await wait(LOOK_EVERY_MS);
  }
}

const openBelow = (part: Part, limit: number): number =>
  descriptorsOf(part.pid()).filter((number) => number < limit).length;

function assertClearFailure({ answer, ms }: Call): void {
  assert.ok(ms < NOTICE_MS, `${ms} ms`);
  if (!answer) return;
  assert.ok(answer.status >= 500, answer.text);
  assert.type(answer.json?.['error'], 'string', answer.text);
  assert.type(answer.json?.['message'], 'string', answer.text);
}

async function withLimit<T>(part: Part, limit: number, use: () => Promise<T>): Promise<T> {
  await limitDescriptors(part.pid(), limit);
  try {
    return await use();
  } finally {
    await limitDescriptors(part.pid(), USUAL_LIMIT);
  }
}

for (const [name, { part: partOf, address, room }] of Object.entries(SHORTAGES)) {
  test(`${name}, by idle connections: fails clearly, and recovers`, async ({ bench }) => {
    const { appliance } = bench;
    const part = partOf(appliance);
    const limit = limitWithRoomFor(part.pid(), room);
    await withLimit(part, limit, async () => {
      const before = openBelow(part, limit);
      const held = [await holdConnections(address(appliance), room + 1)];
      let fed = 0;
      let call: Call;
      let tries = 0;
      try {
        // Descriptors that were open only briefly leave extra room, so a scan may succeed.
        do {
          await untilTrue(async () => {
            if (openBelow(part, limit) >= limit - 1) return true;
            held.push(await holdConnections(address(appliance), 1));
            return false;
          }, 'the shortage');
          appliance.scanner.load([BLANK_PAGE]);
          fed = appliance.scanner.state.sheetsFed;
          call = await bench.scan();
          tries += 1;
        } while (call.answer?.status === 200 && tries < MOST_TRIES);
      } finally {
        for (const close of held) await close();
      }
      assertClearFailure(call);
      assert.is(appliance.scanner.state.sheetsFed, fed);
      await untilTrue(() => openBelow(part, limit) <= before, 'the end of the shortage');
      const struck = { id: undefined, call, serviceKilled: call.answer === undefined };
      await checkAfter(bench, struck);
    });
  });

  test(`${name}, in the middle of a scan: finished work is kept`, async ({ bench }) => {
    const { appliance } = bench;
    const part = partOf(appliance);
    appliance.scanner.load([BLANK_PAGE, BLANK_PAGE, BLANK_PAGE]);
    const first = appliance.service.nextLine(/"event":"scan_page".*"page":1,/);
    const scan = bench.scan();
    const { scan_id: id } = JSON.parse(await first) as { scan_id: string };
    const call = await withLimit(part, limitWithRoomFor(part.pid(), 0), () => scan);
    await checkAfter(bench, { id, call });
  });
}
