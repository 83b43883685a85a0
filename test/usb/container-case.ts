import path from 'node:path';
import { PAGES_DIR } from '../../simulators/pages/manifest.ts';
import { assert } from '../support/suite.ts';
import { nodeOf, untilListed } from './bus.ts';
import type { Case } from './cases.ts';
import { MAY_NOT_OPEN, says, selfTestOf, submitted } from './expectations.ts';
import type { Lab } from './lab.ts';
import { SCANNER } from './profile-files.ts';

const BANK = path.join(PAGES_DIR, 'letter-bank.jpg');

/** A unit's changes in /run are lost at the next boot. */
const DROP_IN = '/run/systemd/system/scan-service-scanner.service.d';
const RESTART = 'systemctl daemon-reload; systemctl restart scan-service-scanner';

/**
 * The access that a unit gets in the composition. The cgroup rule corresponds to the unit's own
 * `DeviceAllow`.
 */
interface Rights {
  readonly group?: string;
  readonly deviceAllow?: '';
}

/**
 * Imitates Compose's scanner container with systemd: its own /dev with the USB bus and no udev, the
 * cgroup rule `c 189:* rmw`, no capabilities (as in the unit), and the devices' numeric group.
 */
function asInContainer({ group, deviceAllow }: Rights): string {
  return [
    '[Service]',
    'PrivateDevices=yes',
    'BindPaths=/dev/bus/usb',
    'TemporaryFileSystem=/run/udev',
    'SupplementaryGroups=',
    ...(group === undefined ? [] : [`SupplementaryGroups=${group}`]),
    ...(deviceAllow === undefined ? [] : [`DeviceAllow=${deviceAllow}`]),
  ].join('\n');
}

export const CONTAINER_CASE: Case = {
  title:
    'as in a container: the scanner returns with another number while the runtime runs, if SCANNER_GROUP and the device rule allow it',
  run: async (lab) => {
    const group = (await lab.guest.run('getent group scanner | cut -d: -f3')).trim();
    try {
      await restartWith(lab, { group });
      const before = await nodeOf(lab.guest);
      const process = await runtimeOf(lab);
      await scansOne(lab);
      await lab.guest.sockets[0]?.unplug();
      await lab.guest.run(untilListed(0));
      lab.guest.sockets[0]?.plugIn(lab.scanner);
      assert.is.not(await nodeOf(lab.guest), before, 'the same number');
      await scansOne(lab);
      assert.is(await runtimeOf(lab), process, 'the runtime was started again');
      for (const missing of [{}, { group, deviceAllow: '' }] as const) {
        await restartWith(lab, missing);
        lab.scanner.load([BANK]);
        const { status, body } = await lab.scan('small');
        assert.is(status, 503, JSON.stringify(body));
        assert.not(lab.scanner.feeder.isEmpty, 'a sheet was fed');
        says(await selfTestOf(lab, SCANNER), MAY_NOT_OPEN);
      }
    } finally {
      await lab.guest.run(`rm -r ${DROP_IN}; ${RESTART}`);
      await lab.ready();
    }
  },
};

async function scansOne(lab: Lab): Promise<void> {
  lab.scanner.load([BANK]);
  submitted(await lab.scan('small'), 1);
}

async function restartWith(lab: Lab, rights: Rights): Promise<void> {
  const encoded = Buffer.from(asInContainer(rights)).toString('base64');
  await lab.guest.run(
    `mkdir -p ${DROP_IN}; echo ${encoded} | base64 -d > ${DROP_IN}/container.conf; ${RESTART}`,
  );
  await lab.ready();
}

async function runtimeOf({ guest }: Lab): Promise<string> {
  return guest.run('systemctl show -P MainPID scan-service-scanner');
}
