import { Failure } from '../failure.ts';
import { lastingName, matchesDevice } from '../device-names.ts';
import type { Device } from '../ipc/messages.ts';

/** Cameras are SANE devices too (backend v4l). */
const CAMERA = /^v4l:/u;

/** Throws `Failure` if no device, or several, match. `auto` stands for the only scanner. */
export function chooseDevice(wanted: string, devices: readonly Device[]): string {
  const scanners = devices.filter(({ name }) => !CAMERA.test(name));
  const found =
    wanted === 'auto' ? scanners : scanners.filter((device) => matchesDevice(device, wanted));
  const [first] = found;
  if (found.length === 1 && first) return first.name;
  if (found.length === 0) throw noneFound(wanted, scanners);
  const names = found.map((device) => lastingName(device, scanners));
  const what = `Several scanners match "${wanted}": ${described(found)}.`;
  const remedy = `Set device in the profile to one of: ${names.join(', ')}.`;
  const facts = { option: 'device', value: wanted, valid_values: names };
  throw new Failure('scan_option_rejected', what, { remedy, facts });
}

function noneFound(wanted: string, scanners: readonly Device[]): Failure {
  const [what, remedy] =
    scanners.length === 0
      ? [
          'No scanner was found.',
          'Switch it on, and check its cable and its driver. A scanner on the network is named by its address in the profile: device: "airscan:escl:Office:http://192.168.1.50/eSCL".',
        ]
      : [
          `No scanner matches "${wanted}"; there are ${described(scanners)}.`,
          `Set device in the profile to one of: ${scanners.map((device) => lastingName(device, scanners)).join(', ')}. Or switch the other scanner on.`,
        ];
  return new Failure('no_scanner_detected', what, { remedy, facts: { device: wanted } });
}

function described(devices: readonly Device[]): string {
  return devices.map(({ name, vendor, model }) => `${name} (${vendor} ${model})`).join(', ');
}
