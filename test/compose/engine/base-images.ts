import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import type { Docker } from './docker.ts';
import { makeStandIns } from './stand-ins.ts';

const BASE_IMAGES = ['node:24-trixie-slim', 'debian:trixie-slim'] as const;

/** Time limit of a pull over a slow connection. An unreachable registry fails within seconds. */
const PULL_MS = 10 * 60_000;
/** Time limit to save or load the images: 300 MB on a slow disk. */
const LOAD_MS = 5 * 60_000;

export interface BaseImages {
  readonly description: string;
  /** Untags the stand-ins, so that nobody mistakes them for the real images. */
  release(): Promise<void>;
}

interface BaseImageOptions {
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** Existing images, pulled ones, or stand-ins made from Debian and npm packages. */
export async function provideBaseImages(
  docker: Docker,
  { directory, signal, say }: BaseImageOptions,
): Promise<BaseImages> {
  if (await haveAll(docker)) {
    return { description: 'the ones that the engine has', release: async () => {} };
  }
  if (await pullAll(docker, signal)) {
    return { description: 'pulled from the registry', release: async () => {} };
  }
  const archive = path.join(directory, `stand-ins-${process.arch}.tar`);
  if (!existsSync(archive)) {
    say('No registry can be reached: making stand-ins of the base images …');
    await mkdir(directory, { recursive: true });
    await makeStandIns(docker, { directory, signal });
    const half = `${archive}.${process.pid}`;
    // Renames last, so that an interrupted run leaves no incomplete archive.
    await docker.run(['save', '--output', half, ...BASE_IMAGES], { timeoutMs: LOAD_MS, signal });
    await rename(half, archive);
  } else {
    // The images are the same byte for byte, so that builds based on them stay cached.
    await docker.run(['load', '--input', archive], { timeoutMs: LOAD_MS, signal });
  }
  return {
    description: 'stand-ins made here, as no registry can be reached',
    release: async () => void (await docker.try(['rmi', ...BASE_IMAGES])),
  };
}

async function haveAll(docker: Docker): Promise<boolean> {
  const inspected = await docker.try(['image', 'inspect', ...BASE_IMAGES]);
  return inspected.exitCode === 0;
}

async function pullAll(docker: Docker, signal: AbortSignal): Promise<boolean> {
  for (const image of BASE_IMAGES) {
    const pulled = await docker.try(['pull', '--quiet', image], { timeoutMs: PULL_MS, signal });
    if (pulled.exitCode !== 0) return false;
  }
  return true;
}
