import { EventEmitter } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readWarnings, WARNINGS_HEADER } from '../../../../helpers/processor-contract.ts';
import { createLog } from '../../../../helpers/log.ts';
import { startProcessor, type Processor } from '../../../../helpers/processor/processor.ts';
import type { PaceLimit } from '../../../../helpers/processor/http/receive-body.ts';
import type { TimeLimits } from '../../../../helpers/processor/tools/time-limits.ts';
import { EVENT_MS, temporaryDirectory, until, within } from '../../../support/suite.ts';
import { fakePrograms, realPrograms, REPLACEABLE_RECOGNIZER } from './fake-programs.ts';
import { graySample, writeTiff } from './tiff-sample.ts';

/** Memory limit of the processor, fixed so that it behaves alike on every machine. */
const MEMORY_BYTES = 2 * 1024 * 1024 * 1024;

export interface BenchOptions {
  readonly programs?: Readonly<Record<string, string>>;
  readonly limits?: Partial<TimeLimits>;
  readonly workers?: number;
  readonly drainMs?: number;
  readonly memoryBytes?: number;
  readonly pace?: PaceLimit;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly error: string | undefined;
  readonly message: string;
  readonly warnings: readonly string[];
  readonly file: string;
}

export interface ProcessorBench {
  readonly directory: string;
  readonly processor: Processor;
  readonly url: string;
  readonly logged: () => string;
  readonly nextLine: (pattern: RegExp) => Promise<string>;
  /** Resolves with the path of a page without words, `width` pixels wide. */
  blankPage(width?: number): Promise<string>;
  postPage(tiff: string, query?: string): Promise<Answer>;
  postDocument(pages: readonly string[], options: object): Promise<Answer>;
  withPrograms(
    programs: Readonly<Record<string, string>>,
    body: () => Promise<void>,
  ): Promise<void>;
  emptied(): Promise<void>;
  close(): Promise<void>;
}

export async function startBench(options: BenchOptions = {}): Promise<ProcessorBench> {
  const temporary = await temporaryDirectory();
  const directory = temporary.path;
  const lines = new EventEmitter<{ line: [string] }>().setMaxListeners(0);
  const written: string[] = [];
  lines.on('line', (line) => written.push(line));
  const temporaryRoot = path.join(directory, 'requests');
  const { programs = {}, limits = {}, workers = 1, drainMs = 2000 } = options;
  const { memoryBytes = MEMORY_BYTES } = options;
  const processor = await startProcessor({
    host: '127.0.0.1',
    port: 0,
    workers,
    searchPath: await fakePrograms(directory, programs),
    recognizerScript: REPLACEABLE_RECOGNIZER,
    temporaryRoot,
    log: createLog('processor', 'trace', { write: (line) => void lines.emit('line', line) }),
    limits,
    drainMs,
    memoryBytes,
    ...(options.pace && { pace: options.pace }),
  });
  const url = `http://127.0.0.1:${processor.port}`;
  let answers = 0;

  async function post(
    route: string,
    body: Buffer | FormData,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    const file = path.join(directory, `answer-${(answers += 1)}.pdf`);
    const response = await fetch(`${url}${route}`, {
      method: 'POST',
      body,
      ...(headers && { headers }),
    });
    return readAnswer(response, file);
  }

  return {
    directory,
    processor,
    url,
    logged: () => written.join(''),
    nextLine: (pattern) => nextLine(lines, pattern),
    blankPage: async (width = 300) => {
      const file = path.join(directory, `blank-${width}.tif`);
      return (await writeTiff(file, graySample(width, 200))).file;
    },
    postPage: async (tiff, query = 'rotate_pages=false') =>
      post(`/pages?${query}`, await readFile(tiff), { 'Content-Type': 'image/tiff' }),
    postDocument: async (pages, options) => {
      const form = new FormData();
      form.append('options', JSON.stringify(options));
      for (const page of pages) {
        form.append('page', new Blob([await readFile(page)], { type: 'application/pdf' }), 'x.pdf');
      }
      return post('/documents', form);
    },
    withPrograms: async (faulty, body) => {
      await fakePrograms(directory, faulty);
      try {
        await body();
      } finally {
        await realPrograms(directory);
      }
    },
    emptied: () => until(() => isEmpty(temporaryRoot), 'the end of every request'),
    close: async () => {
      await processor.stop();
      await temporary.remove();
    },
  };
}

async function readAnswer(response: Response, file: string): Promise<Answer> {
  const body = Buffer.from(await response.arrayBuffer());
  await writeFile(file, body);
  const { status, headers } = response;
  const json = response.ok ? {} : (JSON.parse(body.toString()) as Record<string, string>);
  const warnings = readWarnings(headers.get(WARNINGS_HEADER) ?? '[]');
  return {
    status,
    headers,
    error: json['error'],
    message: json['message'] ?? '',
    warnings: warnings ?? ['unreadable'],
    file,
  };
}

function nextLine(lines: EventEmitter<{ line: [string] }>, pattern: RegExp): Promise<string> {
  const matched = new Promise<string>((resolve) => {
    lines.on('line', function look(line) {
      if (!pattern.test(line)) return;
      lines.off('line', look);
      resolve(line);
    });
  });
  return within(EVENT_MS, matched, `a line like ${pattern}`);
}

/** Polls, because directories are removed after the answer, without an event. */
async function isEmpty(root: string): Promise<boolean> {
  const [own = ''] = await readdir(root);
  return (await readdir(path.join(root, own))).length === 0;
}
