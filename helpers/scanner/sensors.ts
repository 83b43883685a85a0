import { AIRSCAN, esclAddress, readAdfState } from './escl-status.ts';
import { comparableAddress } from '../device-names.ts';
import type { SensorReading } from '../ipc/messages.ts';
import type { ScannerOption } from './option-lines.ts';
import { readOptions } from './scan-preparation.ts';
import type { Scanimage } from './scanimage.ts';

export type Sensors = Pick<SensorReading, 'address' | 'paper' | 'sensors' | 'function'>;

/** Paper in the feeder: fujitsu, epjitsu and genesys; canon_dr; hp5590. */
const PAPER: readonly string[] = ['page-loaded', 'adf-loaded', 'doc-in-adf'];

const FUNCTION = 'function';

/**
 * Moves no paper. SANE exposes sensors as read-only options. sane-airscan has none, so its scanners
 * are queried directly. Throws `Failure`.
 */
export async function readSensors(
  tool: Scanimage,
  device: string,
  signal: AbortSignal,
): Promise<Sensors> {
  if (!AIRSCAN.test(device)) return sensorsOf(await readOptions(tool, device, undefined, signal));
  const address = await esclAddress(device, tool.env['SANE_CONFIG_DIR'] ?? '');
  if (address === undefined) return { sensors: {} };
  const paper = await readAdfState(address, signal);
  return { address: comparableAddress(address), paper, sensors: {} };
}

export function sensorsOf(options: readonly ScannerOption[]): Sensors {
  const readings = options.filter(({ active, settable }) => active && !settable);
  const sensors = readings.flatMap(({ name, current }) => {
    const value = valueOf(current);
    return value === undefined || name === FUNCTION ? [] : [[name, value] as const];
  });
  const paper = sensors.find(([name]) => PAPER.includes(name))?.[1];
  const chosen = readings.find(({ name }) => name === FUNCTION)?.current ?? '';
  return {
    sensors: Object.fromEntries(sensors),
    ...(paper !== undefined && { paper }),
    ...(WHOLE_NUMBER.test(chosen) && { function: Number(chosen) }),
  };
}

const WHOLE_NUMBER = /^-?\d+$/u;

/** Some drivers report buttons as numbers, 0 if not pressed (pixma). */
function valueOf(current = ''): boolean | undefined {
  if (current === 'yes' || current === 'no') return current === 'yes';
  return WHOLE_NUMBER.test(current) ? Number(current) !== 0 : undefined;
}
