import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A network scanner for sane-airscan: the name it gets in SANE, and its eSCL address. */
export interface NamedScanner {
  readonly name: string;
  readonly url: string;
}

/**
 * Writes a private SANE configuration with exactly these scanners and answers its directory, for `SANE_CONFIG_DIR`. The n-th
 * scanner, from 0, is then the device `airscan:e<n>:<name>`. Discovery is off: without a running avahi, sane-airscan
 * fails to start otherwise, and a machine's other scanners are none of a test's business.
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
