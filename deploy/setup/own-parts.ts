import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPart, type Part } from '../demo/part.ts';
import { anyPort, LOOPBACK } from '../demo/ports.ts';
import type { Places } from './places.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../..');
const AVAHI = '/run/avahi-daemon/socket';

/** The parts that set-up starts itself when not in a container. */
export interface OwnParts {
  readonly socket: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Starts processor and service. Resolves with the service's address when it is ready. */
  readonly startService: (settings: Readonly<Record<string, string>>) => Promise<string>;
  readonly stop: () => Promise<void>;
}

export async function startOwnParts(places: Places): Promise<OwnParts> {
  const directory = await mkdtemp(path.join(tmpdir(), 'scan-service-setup-'));
  const inside = (name: string): string => path.join(directory, name);
  const socket = inside('scanner.sock');
  const logs = inside('logs');
  await mkdir(logs);
  const variables = { SECRETS_DIR: places.secrets, SANE_CONFIG_DIR: saneDirectories(places) };
  const parts: Part[] = [];
  const start = (title: string, main: string, env: Readonly<Record<string, string>>): Part => {
    const part = startPart({ title, main, env: { LOG_LEVEL: 'info', ...env }, logs });
    parts.push(part);
    return part;
  };
  start('scanner runtime', 'helpers/scanner/main.ts', { ...variables, SCANNER_SOCKET: socket });
  return {
    socket,
    variables,
    startService: async (settings) => {
      const [processorPort, port] = [await anyPort(), await anyPort()];
      const processorUrl = `http://${LOOPBACK}:${processorPort}`;
      const url = `http://${LOOPBACK}:${port}`;
      const processor = start('processor', 'helpers/processor/main.ts', {
        PORT: String(processorPort),
      });
      const service = start('service', 'service/main.ts', {
        ...variables,
        PORT: String(port),
        SCANNER_SOCKET: socket,
        PROCESSOR_URL: processorUrl,
        PROFILES_DIR: places.profiles,
        // The usual directory, so that an unfinished test scan can be resumed later.
        OUTPUT_DIR: places.scans,
        // As root, it would leave settings beside the scans that the service may not read.
        BROWSER_SET_UP: 'off',
        ...settings,
      });
      const { signal } = new AbortController();
      const ready = Promise.all([
        processor.ready(`${processorUrl}/health`, signal),
        service.ready(`${url}/ready`, signal),
      ]);
      await Promise.race([ready, ...parts.map(({ died }) => died)]);
      return url;
    },
    stop: async () => {
      for (const part of parts.toReversed()) await part.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Without avahi, sane-airscan opens no scanner unless its network search is off. */
function saneDirectories({ sane }: Places): string {
  const given = process.env['SANE_CONFIG_DIR'];
  if (given) return given;
  const shipped = existsSync(AVAHI) ? [] : [path.join(CHECKOUT, 'deploy/scanner/sane.d')];
  return [sane, ...shipped, '/etc/sane.d'].join(':');
}
