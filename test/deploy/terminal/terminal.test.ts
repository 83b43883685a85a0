import path from 'node:path';
import { EXIT } from '../../../deploy/terminal/outcome.ts';
import { Failure } from '../../../helpers/failure.ts';
import { feedPages, heldFeed } from '../../support/scan-parts.ts';
import { watchProgram, type WatchedProgram } from '../../support/programs.ts';
import { assert, withFixture } from '../../support/suite.ts';
import { createWatchedService } from './watched-service.ts';

const MAIN = path.resolve(import.meta.dirname, '../../../deploy/terminal/main.ts');

/** A start of Node and a scan of played parts take a second or two on a busy machine. */
const END_MS = 30_000;

const test = withFixture('the terminal client', createWatchedService);

const watch = (...program: [string, ...string[]]): WatchedProgram =>
  watchProgram(program, { env: {}, withinMs: END_MS });

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

function startClient(port: number, ...args: readonly string[]): WatchedProgram {
  return watch(process.execPath, MAIN, '--url', urlOf(port), ...args);
}

test('prints a line for each event into a pipe, and how it ended', async ({ start, port }) => {
  await start({ feed: feedPages(2) });
  const { code, stdout, stderr } = await startClient(port()).ended();
  assert.is(stderr, '');
  assert.match(
    stdout,
    /^scan \S+ has begun\npage 1: front of sheet 1\n[^]*the feeder is free, take your paper\n[^]*2 pages, 1 document in /,
  );
  assert.not.match(stdout, '\u001b');
  assert.is(code, EXIT.done);
});

test('lists the scans that fed paper, with what they are called', async ({ start, port }) => {
  await start({ feed: feedPages(2) });
  const nothing = await startClient(port(), '--list').ended();
  assert.equal([nothing.stdout, nothing.code], ['There are no scans yet.\n', EXIT.done]);
  await startClient(port(), '--title', 'Bill of May').ended();
  const { code, stdout, stderr } = await startClient(port(), '--list').ended();
  assert.is(stderr, '');
  assert.match(stdout, /^\S+Z-\w{6}  finished     2 pages, 1 document  Bill of May\n$/);
  assert.is(code, EXIT.done);
});

test('says why it cannot list', async ({ start, port }) => {
  await start({}, 'a-token');
  const { code, stdout } = await startClient(port(), '--list').ended();
  assert.match(stdout, 'SCAN_API_TOKEN');
  assert.is(code, EXIT.other);
});

test('rewrites one line in a terminal', async ({ start, port }) => {
  await start({ feed: feedPages(2) });
  const command = `${process.execPath} ${MAIN} --url ${urlOf(port())}`;
  const script = watch('/usr/bin/script', '-qec', command, '/dev/null');
  const { code, stdout } = await script.ended();
  assert.is(code, EXIT.done);
  const [, ...lines] = stdout.split('\r\u001b[2K');
  assert.ok(lines.length > 5, stdout);
  assert.equal(lines.slice(0, 2), ['0 pages', '1 page']);
  assert.match(lines.at(-1) ?? '', /^2 pages, 1 document in/);
  for (const line of lines.slice(0, -1)) assert.not.match(line, '\n');
});

test('prints each event as JSON, the result last', async ({ start, port }) => {
  await start({ feed: feedPages(1) });
  const { code, stdout } = await startClient(port(), '--json', '--title', 'Bill').ended();
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; status?: number });
  assert.is(lines[0]?.event, 'begun');
  assert.equal([lines.at(-1)?.event, lines.at(-1)?.status], ['result', 200]);
  assert.is(code, EXIT.done);
});

test('says by its exit code how a scan ended, and how to go on', async ({ start, port }) => {
  await start({ feed: feedPages(0) });
  assert.is((await startClient(port()).ended()).code, EXIT.feederEmpty);
  await start({ feed: feedPages(1, new Failure('scanner_jammed', 'Paper is stuck.')) });
  const { code, stdout } = await startClient(port()).ended();
  assert.is(code, EXIT.endedEarly);
  const [, resume = ''] = /npm run scan -- (--url \S+ --resume \S+)/.exec(stdout) ?? [];
  const [, , ...args] = resume.split(' ');
  assert.is((await startClient(port(), ...args).ended()).code, EXIT.done);
  assert.is((await startClient(port(), 'none').ended()).code, EXIT.other);
  assert.is((await startClient(1).ended()).code, EXIT.other);
});

test('at Ctrl-C, the scan goes on and can be watched', async ({ bench, start, port, drained }) => {
  const { feed, goOn } = heldFeed();
  await start({ feed });
  const client = startClient(port());
  await client.printed('page 1');
  assert.is((await startClient(port()).ended()).code, EXIT.busy);
  client.child.kill('SIGINT');
  const { code, stderr } = await client.ended();
  assert.is(code, EXIT.interrupted);
  const [, id = ''] = /The scan goes on\. Watch it:\n.* --watch (\S+)/.exec(stderr) ?? [];
  const watcher = startClient(port(), '--watch', id);
  await watcher.printed('has 1 page');
  goOn();
  const watched = await watcher.ended();
  assert.match(watched.stdout, '1 page, 1 document in');
  assert.is(watched.code, EXIT.done);
  await drained();
  assert.is((await bench.stored(id)).state, 'finished');
});
