import type { RequestListener } from 'node:http';
import { createParser } from 'eventsource-parser';
import {
  createEventParser,
  readEvents,
  type StreamEvent,
} from '../../../service/page/event-stream.js';
import { serve } from '../../support/serve.ts';
import { assert, rejection, suite, within } from '../../support/suite.ts';

const test = suite('the parser of event streams');

/** Streams and splits that are compared; each costs some microseconds. */
const FUZZED = 20_000;

/** What streams are made of: every kind of line, and pieces of lines. */
const PIECES = [
  'data: {"a":1}',
  'data:x',
  'data:  two spaces',
  'data',
  'data: ü\u2028€ 😀',
  'event: page',
  'event:',
  'event: result ',
  'id: 7',
  'id:',
  'id: a\0b',
  'retry: 2000',
  ': a comment',
  ':',
  'unknown: field',
  'dataset: no',
  ' data: no',
  'a',
];
const LINE_ENDS = ['\n', '\r\n', '\r'];

/** Numbers that are the same in every run, so that what fails once fails again. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomStream(random: (below: number) => number): string {
  const lines = Array.from({ length: random(20) }, () => {
    const line = random(3) === 0 ? '' : (PIECES[random(PIECES.length)] ?? '');
    return line + (LINE_ENDS[random(3)] ?? '');
  });
  return lines.join('');
}

function randomSplits(text: string, random: (below: number) => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const length = 1 + random(random(3) === 0 ? text.length : 4);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

function parsed(pieces: readonly string[]): StreamEvent[] {
  const events: StreamEvent[] = [];
  pieces.forEach(createEventParser((event) => events.push(event)));
  return events;
}

/** The same by the library. It forgets the `id` of an event without data, which a browser keeps. */
function parsedByLibrary(pieces: readonly string[]): Partial<StreamEvent>[] {
  const events: Partial<StreamEvent>[] = [];
  const parser = createParser({
    onEvent: ({ id, event = 'message', data }) =>
      events.push({ ...(id !== undefined && { id }), event, data }),
  });
  for (const piece of pieces) parser.feed(piece);
  return events;
}

test('finds the events that eventsource-parser finds, however the stream is cut', () => {
  const random = createRandom(20_261_122);
  let found = 0;
  for (let times = 0; times < FUZZED; times += 1) {
    const pieces = randomSplits(`${randomStream(random)}\n\n`, random);
    const events = parsed(pieces);
    const expected = parsedByLibrary(pieces).map((event, index) => ({
      ...events[index],
      ...event,
    }));
    assert.equal(events, expected, JSON.stringify(pieces));
    found += events.length;
  }
  assert.ok(found > FUZZED, `only ${found} events`);
});

async function served<T>(handler: RequestListener, run: (url: string) => Promise<T>): Promise<T> {
  const { url, close } = await serve(handler);
  try {
    return await run(url);
  } finally {
    await close();
  }
}

async function bodyOf(url: string): Promise<ReadableStream<Uint8Array>> {
  const { body } = await fetch(url);
  if (!body) throw new Error('no body');
  return body;
}

test('reads an answer as it arrives, also where a character is cut in two', () =>
  served(
    (_, response) => {
      const bytes = Buffer.from('id: 1\ndata: €\n\ndata: 2\n\n');
      response.write(bytes.subarray(0, 13));
      setImmediate(() => response.end(bytes.subarray(13)));
    },
    async (url) => {
      const read: StreamEvent[] = [];
      for await (const event of readEvents(await bodyOf(url), 60_000)) read.push(event);
      assert.equal(read, [
        { id: '1', event: 'message', data: '€' },
        { id: '1', event: 'message', data: '2' },
      ]);
    },
  ));

test('throws where nothing arrives for too long, and lets go of the connection', () => {
  const gone = Promise.withResolvers<void>();
  return served(
    (_, response) => {
      response.once('close', () => gone.resolve());
      response.write('data: 1\n\n:\n');
    },
    async (url) => {
      const events = readEvents(await bodyOf(url), 1000);
      assert.is((await events.next()).value?.data, '1');
      assert.match(String(await rejection(events.next())), 'nothing arrived for 1000 ms');
      await within(60_000, gone.promise, 'the end of the connection');
    },
  );
});
