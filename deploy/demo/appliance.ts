import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSampleDms, type SampleDms } from '../../simulators/sample-dms/sample-dms.ts';
import {
  createVirtualScanner,
  writeSaneConfig,
  type Paper,
  type VirtualScanner,
} from '../../simulators/virtual-scanner/virtual-scanner.ts';
import { checkDestination } from '../../service/set-up/check-destination.ts';
import { SHIPPED } from '../../service/profiles/load-directories.ts';
import { DemoError } from './demo-error.ts';
import type { DemoOptions } from './options.ts';
import { isDuplex, paperToScan } from './paper.ts';
import { startPart, type Part } from './part.ts';
import { anyPort, LOOPBACK, scannerPort, servicePort } from './ports.ts';
import { writeProfiles } from './profile.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const SCANNER_NAME = 'Virtual Scanner';

export interface Appliance {
  readonly workspace: Workspace;
  readonly scanner: VirtualScanner;
  /** Undefined if documents go to a real system. */
  readonly dms: SampleDms | undefined;
  readonly dmsUrl: string;
  /** API token of the sample DMS; undefined for a real system. */
  readonly sampleToken: string | undefined;
  /** The account of the sample DMS, for an appliance that is set up in the browser. */
  readonly account: Account | undefined;
  readonly serviceUrl: string;
  readonly parts: Readonly<Record<'runtime' | 'processor' | 'service', Part>>;
  readonly ready: (signal: AbortSignal) => Promise<void>;
}

interface Account {
  readonly username: string;
  readonly password: string;
}

/** Closing functions, in starting order. */
export type Closers = (() => Promise<void>)[];

/** Starts all parts. Adds each to `closers` at once, so that it is closed if a later one fails. */
export async function startAppliance(options: DemoOptions, closers: Closers): Promise<Appliance> {
  const papers = await paperToScan(options.pagesDir);
  const workspace = await openWorkspace(options.directory, options.isNew);
  closers.push(workspace.release);
  const scanner = await startScanner(papers, options, closers);
  const { dms, dmsUrl, token, account } = await destination(options, workspace, closers);
  // The set-up of a new appliance must find the scanner. Otherwise, the profiles name it.
  const listed = options.isNew ? [{ name: SCANNER_NAME, url: scanner.url }] : [];
  await writeSaneConfig(workspace.saneConfig, listed);
  if (!options.isNew) {
    await writeProfiles({
      name: options.profile,
      directory: workspace.profiles,
      device: `airscan:escl:${SCANNER_NAME}:${scanner.url}`,
      duplex: isDuplex(papers),
    });
    await writeFile(join(workspace.secrets, 'dms_api_token'), token, { mode: 0o600 });
  }
  const port = await servicePort(options.port);
  const processorPort = await anyPort();
  const settings = options.isNew ? newSettings(workspace, dmsUrl) : { DMS_URL: dmsUrl };
  const parts = startParts({ workspace, port, processorPort, settings });
  for (const part of Object.values(parts)) closers.push(part.stop);
  const serviceUrl = `http://${LOOPBACK}:${port}`;
  return {
    workspace,
    scanner,
    dms,
    dmsUrl,
    sampleToken: dms === undefined ? undefined : token,
    account,
    serviceUrl,
    parts,
    ready: (signal) => allReady(parts, { serviceUrl, processorPort }, signal),
  };
}

async function allReady(
  parts: Appliance['parts'],
  { serviceUrl, processorPort }: { serviceUrl: string; processorPort: number },
  signal: AbortSignal,
): Promise<void> {
  // If one part fails, stops polling the others.
  const over = new AbortController();
  const asking = AbortSignal.any([signal, over.signal]);
  const ready = Promise.all([
    parts.processor.ready(`http://${LOOPBACK}:${processorPort}/health`, asking),
    parts.service.ready(`${serviceUrl}/ready`, asking),
  ]);
  try {
    await Promise.race([ready, ...Object.values(parts).map((part) => part.died)]);
  } finally {
    over.abort();
  }
}

async function startScanner(
  pages: readonly Paper[],
  { pagesPerMinute, pagesDir, port }: DemoOptions,
  closers: Closers,
): Promise<VirtualScanner> {
  // The scanner refills its feeder, so that the user can start more scans.
  const scanner = await createVirtualScanner({
    pages,
    ...(pagesDir !== undefined && { pagesDir }),
    pagesPerMinute,
    port: await scannerPort(port),
    name: SCANNER_NAME,
    loop: true,
  });
  closers.push(scanner.close);
  return scanner;
}

interface Destination extends Pick<Appliance, 'dms' | 'dmsUrl' | 'account'> {
  readonly token: string;
}

/** A password that is short enough to type on a phone. */
function newPassword(): string {
  return randomBytes(4).toString('hex');
}

async function destination(
  { dms: real, isNew }: DemoOptions,
  { dmsStore }: Workspace,
  closers: Closers,
): Promise<Destination> {
  if (real !== undefined) {
    const checked = await checkDestination(real.url, real.token);
    if (checked.kind === 'broken') throw new DemoError(checked.problem);
    return { dms: undefined, dmsUrl: real.url, token: real.token, account: undefined };
  }
  const token = randomBytes(20).toString('hex');
  const account = isNew ? { username: 'admin', password: newPassword() } : undefined;
  const login = account && { login: account };
  const dms = await createSampleDms({ tokens: [token], storeDir: dmsStore, ...login });
  closers.push(dms.close);
  return { dms, dmsUrl: dms.url, token, account };
}

interface PartsOptions {
  readonly workspace: Workspace;
  readonly port: number;
  readonly processorPort: number;
  readonly settings: Readonly<Record<string, string>>;
}

/** The sample DMS is on this machine, so only this variable lets it be chosen. */
function newSettings({ profiles }: Workspace, dmsUrl: string): PartsOptions['settings'] {
  return {
    BROWSER_SET_UP: 'on',
    DMS_URL_DEFAULT: dmsUrl,
    PROFILES_DIR: `${profiles}:${SHIPPED}`,
  };
}

function startParts({
  workspace,
  port,
  processorPort,
  settings,
}: PartsOptions): Appliance['parts'] {
  const { logs, scannerSocket } = workspace;
  const env = { HOST: LOOPBACK, LOG_LEVEL: 'info' };
  return {
    runtime: startPart({
      title: 'scanner runtime',
      main: 'helpers/scanner/main.ts',
      env: { ...env, SCANNER_SOCKET: scannerSocket, SANE_CONFIG_DIR: workspace.saneConfig },
      logs,
    }),
    processor: startPart({
      title: 'processor',
      main: 'helpers/processor/main.ts',
      env: { ...env, PORT: String(processorPort) },
      logs,
    }),
    service: startPart({
      title: 'service',
      main: 'service/main.ts',
      env: {
        ...env,
        PORT: String(port),
        PROFILES_DIR: workspace.profiles,
        OUTPUT_DIR: workspace.scans,
        SCANNER_SOCKET: scannerSocket,
        PROCESSOR_URL: `http://${LOOPBACK}:${processorPort}`,
        SECRETS_DIR: workspace.secrets,
        ...settings,
        // For the reason, see Dockerfile.service.
        UV_THREADPOOL_SIZE: '64',
      },
      logs,
    }),
  };
}
