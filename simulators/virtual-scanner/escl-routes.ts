import { Router } from '@koa/router';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from 'koa';
import type { Device, ImageAnswer, PageAnswer } from './device.ts';
import { capabilitiesXml, statusXml, type Input } from './escl-documents.ts';
import { parseScanSettings, type TransferFormat } from './scan-settings.ts';

export const ESCL_PATH = '/eSCL';

export interface EsclOptions {
  /** Make and model. */
  readonly name: string;
  readonly formats: readonly TransferFormat[];
  readonly inputs: readonly Input[];
}

/**
 * Delay of the response that ends a job, in milliseconds. Real devices are slower, and sane-airscan
 * (0.99.27 to 0.99.37) relies on it: if a job ends before its threads have noticed, `sane_close`
 * hangs.
 */
const END_ANSWER_MS = 25;

/**
 * Minimum duration of a job, in milliseconds. A device needs longer to feed a sheet. sane-airscan
 * (device_start_wait, 0.99.27 to 0.99.37) loses the pages of a job that ends before `sane_start`
 * has noticed it, and reports an empty feeder (exit code 7). 50 ms are too short if a process is
 * paused for a moment.
 */
const SHORTEST_JOB_MS = 250;

/** The part of eSCL that sane-airscan uses. */
export function createEsclRouter(device: Device, options: EsclOptions): Router {
  const router = new Router({ prefix: ESCL_PATH });
  router.use(async (context, next) => {
    device.events.emit('request', { method: context.method, path: context.path });
    const { fault } = device;
    const refuses = fault?.kind === 'refuse' && fault.where === 'all';
    if (!refuses) await next();
    else answerEmpty(context, 500);
  });
  router.get('/ScannerCapabilities', async (context) => {
    if (hangs(device, 'capabilities')) return never(context);
    context.type = 'text/xml';
    context.body = capabilitiesXml(options.name, options.formats, options.inputs);
  });
  router.get('/ScannerStatus', (context) => {
    context.type = 'text/xml';
    context.body = statusXml(device.adfState, device.isScanning, device.jobStatus(jobPath));
  });
  router.post('/ScanJobs', (context) => openJob(device, context));
  router.get('/ScanJobs/:id/NextDocument', async (context) => {
    const gone = new AbortController();
    context.res.once('close', () => gone.abort());
    const answer = await device.nextPage(context.params['id'] ?? '', gone.signal);
    const ends = answer.kind !== 'image' && answer.kind !== 'never';
    if (ends) await delay(Math.max(END_ANSWER_MS, SHORTEST_JOB_MS - device.jobAgeMs));
    await respond(context, answer);
  });
  router.delete('/ScanJobs/:id', async (context) => {
    const deleted = device.deleteJob(context.params['id'] ?? '');
    await delay(END_ANSWER_MS);
    answerEmpty(context, deleted ? 200 : 404);
  });
  return router;
}

function jobPath(id: string): string {
  return `${ESCL_PATH}/ScanJobs/${id}`;
}

function hangs(device: Device, where: 'capabilities' | 'post'): boolean {
  return device.fault?.kind === 'hang' && device.fault.where === where;
}

async function openJob(device: Device, context: Context): Promise<void> {
  const body = await text(context.req);
  if (hangs(device, 'post')) return never(context);
  if (device.fault?.kind === 'refuse') return answerEmpty(context, 500);
  const settings = parseScanSettings(body);
  const opened = settings ? device.openJob(settings) : 409;
  answerEmpty(context, typeof opened === 'number' ? opened : 201);
  if (typeof opened === 'string')
    context.set('Location', `http://${context.host}${jobPath(opened)}`);
}

function answerEmpty(context: Context, status: number): void {
  context.body = '';
  context.status = status;
}

/** Keeps the request open until the client gives up or the scanner is closed. */
function never(context: Context): void {
  context.respond = false;
}

async function respond(context: Context, answer: PageAnswer): Promise<void> {
  if (answer.kind === 'never') return never(context);
  if (answer.kind === 'drop') {
    context.respond = false;
    context.req.socket.destroy();
    return;
  }
  if (answer.kind === 'status') {
    return answerEmpty(context, answer.status);
  }
  const { image, type, manner, sent } = answer;
  if (manner === 'halfThenHang' || manner === 'halfThenDrop') {
    return sendHalf(context, answer, manner === 'halfThenDrop');
  }
  context.res.once('finish', sent);
  context.type = type;
  context.body = manner === 'corrupt' ? corrupted(image) : image;
}

function sendHalf(context: Context, { image, type }: ImageAnswer, drop: boolean): void {
  context.respond = false;
  const { res } = context;
  res.writeHead(200, { 'Content-Type': type, 'Content-Length': image.length });
  res.write(image.subarray(0, image.length / 2), () => {
    if (drop) res.destroy();
  });
}

/** Corrupts an image but keeps its signature, so that the client accepts it as an image. */
function corrupted(image: Buffer): Buffer {
  const SIGNATURE_BYTES = 8;
  return Buffer.concat([
    image.subarray(0, SIGNATURE_BYTES),
    Buffer.alloc(image.length - SIGNATURE_BYTES, 0x5a),
  ]);
}
