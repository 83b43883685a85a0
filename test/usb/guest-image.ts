import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { program } from '../debian/programs.ts';
import { copyCheckout, makeRoot } from '../debian/root.ts';

const PACKAGES =
  'systemd systemd-sysv udev dbus kmod zstd initramfs-tools ca-certificates iproute2 sane-utils sane-airscan ipp-usb usbutils procps'.split(
    ' ',
  );

export const SHELL_PORT = 'lab';

const DISK_SIZE = '3G';

/** The processor runs outside of the guest, because recognition under emulation takes minutes. */
const NO_PROCESSOR = '[Service]\nExecStart=\nExecStart=/usr/bin/sleep infinity\n';

/** Each line is a script in base64. The answer is its exit code and output, also in base64. */
const SHELL = `#!/bin/bash
exec 3<>/dev/virtio-ports/${SHELL_PORT}
echo ready >&3
while read -r line <&3; do
  output=$(base64 -d <<<"$line" | bash -eu 2>&1); code=$?
  printf '%s %s\\n' "$code" "$(base64 -w0 <<<"$output")" >&3
done
`;

/** Restarts until the port exists. */
const SHELL_UNIT = `[Unit]
StartLimitIntervalSec=0
[Service]
ExecStart=/usr/local/sbin/lab-shell
Restart=on-failure
RestartSec=1
[Install]
WantedBy=multi-user.target
`;

const INSTALL = `
printf 'MODULES=list\\nCOMPRESS=zstd\\n' > /etc/initramfs-tools/conf.d/lab
printf 'virtio_pci\\nvirtio_blk\\next4\\n' >> /etc/initramfs-tools/modules
apt-get -q update
apt-get install -qy --no-install-recommends linux-image-amd64
cd /opt/scan-service
useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin scan-service
getent group scanner || groupadd --system scanner
install -d /etc/scan-service /etc/scan-service/profiles /etc/scan-service/sane.d
install -d -g scan-service -m 0750 /etc/scan-service/secrets
cp deploy/scanner/sane.d/* /etc/scan-service/sane.d/
cp deploy/systemd/*.service /etc/systemd/system/
# Debian's own rules would hide whether ours work.
rm -f /usr/lib/udev/rules.d/*libsane*
cp deploy/udev/70-scan-service.rules /etc/udev/rules.d/
echo '/dev/vda / ext4 defaults 0 0' > /etc/fstab
echo '127.0.0.1 localhost' > /etc/hosts
printf '[Match]\\nName=en* eth*\\n[Network]\\nDHCP=yes\\n' > /etc/systemd/network/lab.network
chmod +x /usr/local/sbin/lab-shell
# Its devices are named by their addresses, and avahi is not there.
sed -i 's/^\\( *dns-sd = \\)enable/\\1disable/' /etc/ipp-usb/ipp-usb.conf
systemctl enable systemd-networkd lab-shell scan-service
systemctl mask systemd-networkd-wait-online systemd-timesyncd apt-daily.timer apt-daily-upgrade.timer avahi-daemon
`;

export interface GuestImage {
  readonly disk: string;
  readonly kernel: string;
  readonly initrd: string;
}

/** Debian 13 with the service of `checkout` installed by deploy/systemd. Needs root. */
export async function makeGuestImage(
  directory: string,
  { checkout, signal }: { readonly checkout: string; readonly signal: AbortSignal },
): Promise<GuestImage> {
  const tree = path.join(directory, 'root');
  const root = await makeRoot({ directory: tree, include: PACKAGES, signal });
  const service = path.join(tree, 'opt/scan-service');
  await copyCheckout(checkout, service);
  await program(['npm', 'ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: service,
    signal,
  });
  await mkdir(path.join(service, '.tools/bin'), { recursive: true });
  await cp(process.execPath, path.join(service, '.tools/bin/node'), { dereference: true });
  const dropIn = path.join(tree, 'etc/systemd/system/scan-service-processor.service.d');
  await mkdir(dropIn, { recursive: true });
  await writeFile(path.join(dropIn, 'outside.conf'), NO_PROCESSOR);
  await writeFile(path.join(tree, 'usr/local/sbin/lab-shell'), SHELL);
  await writeFile(path.join(tree, 'etc/systemd/system/lab-shell.service'), SHELL_UNIT);
  await root.run(INSTALL);
  const disk = path.join(directory, 'disk.img');
  await program(['mke2fs', '-q', '-t', 'ext4', '-O', '^has_journal', '-d', tree, disk, DISK_SIZE], {
    signal,
  });
  const boot = path.join(tree, 'boot');
  const files = await readdir(boot);
  const file = (prefix: string): string =>
    path.join(boot, files.find((name) => name.startsWith(prefix)) ?? prefix);
  return { disk, kernel: file('vmlinuz-'), initrd: file('initrd.img-') };
}
