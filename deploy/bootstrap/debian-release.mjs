import { readFileSync } from 'node:fs';

const OS_RELEASE = '/etc/os-release';

/**
 * The release of this Debian, such as 13; undefined on other systems, and on a Debian that is not
 * released yet.
 * @param {string} [file]
 * @returns {number | undefined}
 */
export function debianRelease(file = OS_RELEASE) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  if (!/^ID="?debian"?$/m.test(text)) return undefined;
  const release = /^VERSION_ID="?(\d+)/m.exec(text)?.[1];
  return release === undefined ? undefined : Number(release);
}
