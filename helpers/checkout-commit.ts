import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Reads HEAD without git (gitrepository-layout(5)). */
export function commitOf(directory: string): string | undefined {
  const head = readText(path.join(directory, 'HEAD')).trim();
  const ref = /^ref: (refs\/heads\/.+)$/u.exec(head)?.[1];
  if (ref === undefined) return hash(head);
  return hash(readText(path.join(directory, ref)).trim()) ?? packed(directory, ref);
}

function packed(directory: string, ref: string): string | undefined {
  const lines = readText(path.join(directory, 'packed-refs')).split('\n');
  const line = lines.find((one) => one.endsWith(` ${ref}`)) ?? '';
  return hash(line.split(' ')[0] ?? '');
}

function hash(text: string): string | undefined {
  return /^[0-9a-f]{40,64}$/u.test(text) ? text : undefined;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
