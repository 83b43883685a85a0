import { existsSync, watch } from 'node:fs';
import path from 'node:path';
import { pageName } from '../../../helpers/page-names.ts';

/** Resolves when scanimage has begun to write that page, or has written it. The scan directory must be there. */
export async function pageBegins(directory: string, number: number): Promise<void> {
  const name = pageName(number);
  const begun = Promise.withResolvers<void>();
  const watcher = watch(directory, (_, changed) => {
    if (changed?.startsWith(name) === true) begun.resolve();
  });
  try {
    const files = [name, `${name}.part`].map((file) => path.join(directory, file));
    if (!files.some((file) => existsSync(file))) await begun.promise;
  } finally {
    watcher.close();
  }
}
