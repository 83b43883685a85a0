import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { Machine } from './machine.ts';

/** Where figures are kept. */
export const DOCS = path.join(import.meta.dirname, '../../docs');

/** When and on what figures were measured. */
export interface Circumstances {
  /** ISO 8601. */
  readonly began: string;
  readonly minutes: number;
  readonly machine: Machine;
}

/** The sentence that figures begin with. */
export function measuredOn({ began, minutes, machine }: Circumstances): string {
  const { cpu, cores, memory_gb, kernel, node, tools } = machine;
  const versions = Object.entries(tools).map(([name, version]) => `${name} ${version}`);
  return (
    `Measured on ${began.slice(0, 10)} in ${minutes.toFixed(0)} minutes: ${cores} cores (${cpu}), ${memory_gb} GB, ` +
    `Linux ${kernel}, Node ${node}, ${versions.join(', ')}.`
  );
}

/** Writes a file as the format check of this project wants it. */
export async function writeFormatted(file: string, text: string): Promise<void> {
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}
