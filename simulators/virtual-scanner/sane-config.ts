import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface NamedScanner {
  readonly name: string;
  readonly url: string;
}

/**
 * Writes a private SANE configuration with exactly these scanners. Returns its directory, for
 * `SANE_CONFIG_DIR`. Scanner n, from 0, is the device `airscan:e<n>:<name>`. Discovery is off,
 * since sane-airscan would need a running avahi, and tests must not find other scanners.
 */
export async function writeSaneConfig(
  directory: string,
  scanners: readonly NamedScanner[],
): Promise<string> {
  await mkdir(directory, { recursive: true });
  const devices = scanners.map(({ name, url }) => `"${name}" = ${url}, eSCL\n`).join('');
  const airscan = `[devices]\n${devices}[options]\ndiscovery = disable\n`;
  await writeFile(path.join(directory, 'dll.conf'), 'airscan\n');
  await writeFile(path.join(directory, 'airscan.conf'), airscan);
  return directory;
}
