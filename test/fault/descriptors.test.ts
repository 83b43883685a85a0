import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { NetConnectOpts } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Appliance } from '../support/appliance/appliance.ts';
import type { Part } from '../support/appliance/part.ts';
import { limitDescriptors } from '../support/limit-descriptors.ts';
import { BLANK_PAGE, brokenAfter } from './support/aftermath.ts';
import { holdConnections, limitWithRoomFor } from './support/descriptor-shortage.ts';
import { startFaultBench, type Call, type FaultBench } from './support/fault-bench.ts';
import { descriptorsOf } from './support/process-resources.ts';

const test = suite<{ bench: FaultBench }>('out of file descriptors');

/** What a machine gives a process by default, more or less. */
const USUAL_LIMIT = 1024;

/** For a part to take in the connections that were made, or to notice that they are gone; in milliseconds. */
const NOTICE_MS = 10_000;
const LOOK_EVERY_MS = 5;

interface Shortage {
  readonly part: (appliance: Appliance) => Part;
  readonly address: (appliance: Appliance) => NetConnectOpts;
  /** Descriptors that it is left: enough for its work, as long as nobody takes them all. */
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
    // It takes no more than 16 connections.
    room: 12,
  },
  'the processor': {
    part: ({ processor }) => processor,
    address: ({ processor }) => ({ host: '127.0.0.1', port: processor.port() }),
    room: 40,
  },
};

test.before(async (context) => {
  context.bench = await startFaultBench();
});

test.after(({ bench }) => bench.close());

/** Resolves when what is looked at is so: nobody tells when a process opens or closes a file. */
async function untilTrue(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const until = performance.now() + NOTICE_MS;
  while (!(await isTrue())) {
    if (performance.now() > until) throw new Error(`${what} did not come about`);
    await wait(LOOK_EVERY_MS);
  }
}

const openBelow = (part: Part, limit: number): number =>
  descriptorsOf(part.pid()).filter((number) => number < limit).length;

/** A failure that a caller can read, or a connection that is refused at once: no hang, and no result. */
function assertClearFailure({ answer, ms }: Call): void {
  assert.ok(ms < NOTICE_MS, `${ms} ms`);
  if (!answer) return;
  assert.ok(answer.status >= 500, answer.text);
  assert.type(answer.json?.['error'], 'string', answer.text);
  assert.type(answer.json?.['message'], 'string', answer.text);
}

/** Runs `use` while the part has no descriptors from `limit` on. */
async function withLimit<T>(part: Part, limit: number, use: () => Promise<T>): Promise<T> {
  await limitDescriptors(part.pid(), limit);
  try {
    return await use();
  } finally {
    await limitDescriptors(part.pid(), USUAL_LIMIT);
  }
}

for (const [name, { part: partOf, address, room }] of Object.entries(SHORTAGES)) {
  test(`${name}, by connections that nobody uses: a clear failure, nothing fed, and all is well when they are gone`, async ({
    bench,
  }) => {
    const { appliance } = bench;
    const part = partOf(appliance);
    const limit = limitWithRoomFor(part.pid(), room);
    await withLimit(part, limit, async () => {
      const before = openBelow(part, limit);
      const held = [await holdConnections(address(appliance), room + 1)];
      appliance.scanner.load([BLANK_PAGE]);
      const fed = appliance.scanner.state.sheetsFed;
      let call: Call;
      try {
        // What the part had open for a moment when the limit was set has left more room.
        await untilTrue(async () => {
          if (openBelow(part, limit) >= limit - 1) return true;
          held.push(await holdConnections(address(appliance), 1));
          return false;
        }, 'the shortage');
        call = await bench.scan();
      } finally {
        for (const { close } of held) await close();
      }
      assertClearFailure(call);
      assert.is(appliance.scanner.state.sheetsFed, fed);
      await untilTrue(() => openBelow(part, limit) <= before, 'the end of the shortage');
      const struck = { id: undefined, call, serviceKilled: call.answer === undefined };
      assert.equal(await brokenAfter(bench, struck), []);
    });
  });

  test(`${name}, in the middle of a scan: what was finished is kept and can be filed`, async ({
    bench,
  }) => {
    const { appliance } = bench;
    const part = partOf(appliance);
    appliance.scanner.load([BLANK_PAGE, BLANK_PAGE, BLANK_PAGE]);
    const first = appliance.service.nextLine(/"event":"scan_page".*"page":1,/);
    const scan = bench.scan();
    const { scan_id: id } = JSON.parse(await first) as { scan_id: string };
    const call = await withLimit(part, limitWithRoomFor(part.pid(), 0), () => scan);
    assert.equal(await brokenAfter(bench, { id, call }), []);
  });
}

test.run();
