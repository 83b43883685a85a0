import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { anyPort } from '../../deploy/demo/ports.ts';
import { createLog } from '../../helpers/log.ts';
import { startProcessor } from '../../helpers/processor/processor.ts';
import { createSampleDms, type SampleDms } from '../../simulators/sample-dms/sample-dms.ts';
import { DocumentScanner } from '../../simulators/usb-scanner/document-scanner.ts';
import { until } from '../compose/appliance.ts';
import type { GuestImage } from './guest-image.ts';
import { bootGuest, type Guest } from './guest.ts';
import { profileLine } from './profile-files.ts';

const TOKEN = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';
/** This machine's address, as seen by the guest. */
export const HOST = '10.0.2.2';
/** Time limit for /ready: under emulation on a busy machine, Node starts many times slower. */
const READY_MS = 900_000;
const ANSWER_MS = 610_000;

/** All profiles use the scanner that is plugged in first. */
const PROFILES: Readonly<Record<string, object>> = {
  gray: { source: 'ADF Duplex', mode: 'Gray', resolution: 300 },
  color: { source: 'ADF Front', mode: 'Color', resolution: 300 },
  lineart: { source: 'ADF Duplex', mode: 'Lineart', resolution: 600 },
  small: { source: 'ADF Front', mode: 'Gray', resolution: 200 },
  second: {
    source: 'ADF Front',
    mode: 'Gray',
    resolution: 200,
    device: 'fujitsu:fi-6130dj:222222',
  },
};

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Lab {
  readonly directory: string;
  readonly guest: Guest;
  /** Plugged into the first socket. */
  readonly scanner: DocumentScanner;
  readonly dms: SampleDms;
  readonly request: (method: 'GET' | 'POST', url: string, body?: object) => Promise<Answer>;
  ready(): Promise<void>;
  bytes(url: string): Promise<Buffer>;
  scan(profile: string, more?: object): Promise<Answer>;
  reset(): Promise<void>;
  recentLog(): Promise<string>;
  close(): Promise<void>;
}

export async function startLab(image: GuestImage, directory: string): Promise<Lab> {
  const port = await anyPort();
  const temporaryRoot = path.join(directory, 'processor');
  await mkdir(temporaryRoot);
  const processor = await startProcessor({
    host: '127.0.0.1',
    port: 0,
    workers: 2,
    searchPath: process.env['PATH'] ?? '',
    temporaryRoot,
    log: createLog('processor', 'error'),
  });
  const dms = await createSampleDms({ tokens: [TOKEN], storeDir: path.join(directory, 'dms') });
  const guest = await bootGuest(image, { directory, port });
  const scanner = new DocumentScanner(111111);
  const url = `http://127.0.0.1:${port}`;
  const request: Lab['request'] = async (method, target, body) => {
    const answer = await fetch(`${url}${target}`, {
      method,
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    });
    return { status: answer.status, body: Object(await answer.json()) };
  };
  const ready = async (): Promise<void> =>
    until(READY_MS, 'the service in the guest', async () => {
      const answer = await request('GET', '/ready').catch(() => undefined);
      return answer?.status === 200;
    });
  const close = async (): Promise<void> => {
    await guest.stop();
    await Promise.all([processor.stop(), dms.close()]);
  };
  try {
    guest.sockets[0]?.plugIn(scanner);
    await guest.run(settings(processor.port, dms.port));
    await ready();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    directory,
    guest,
    scanner,
    dms,
    request,
    bytes: async (target) => Buffer.from(await (await fetch(`${url}${target}`)).arrayBuffer()),
    ready,
    scan: (profile, more = {}) => request('POST', '/scan', { profile, ...more }),
    reset: async () => {
      scanner.load([]);
      scanner.setFault();
      Object.assign(scanner.state, {
        coverOpen: false,
        asleep: false,
        scanButton: false,
        functionNumber: 1,
        seesPaper: true,
        transferMs: 0,
      });
      scanner.events.removeAllListeners();
      await Promise.resolve();
    },
    recentLog: async () => (await guest.try(RECENT_LOG)).output,
    close,
  };
}

/** Without requests, which would hide the rest. */
const RECENT_LOG = `journalctl --no-pager -o cat -u 'scan-service*' | grep -v '"event":"request"' | tail -n 40`;

function settings(processorPort: number, dmsPort: number): string {
  const profiles = Object.entries(PROFILES).map(([name, profile]) => profileLine(name, profile));
  return [
    `echo PROCESSOR_URL=http://${HOST}:${processorPort} > /etc/scan-service/environment`,
    `echo DMS_URL=http://${HOST}:${dmsPort} >> /etc/scan-service/environment`,
    `echo ${TOKEN} | install -g scan-service -m 0640 /dev/stdin /etc/scan-service/secrets/dms_api_token`,
    // The self-test should check only the lab's profiles.
    'echo SHIPPED_PROFILES=off >> /etc/scan-service/environment',
    ...profiles,
    'systemctl restart scan-service',
  ].join('\n');
}
