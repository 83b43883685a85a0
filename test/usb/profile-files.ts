import type { Guest } from './guest.ts';

/** SANE's name for the scanner that is plugged in first. */
export const SCANNER = 'fujitsu:fi-6130dj:111111';

/** A line of bash that writes a profile, by default for `SCANNER`. */
export function profileLine(name: string, profile: object): string {
  const whole = {
    name,
    device: SCANNER,
    page_size: 'a4',
    timeout_seconds: 600,
    destinations: [{ kind: 'dms' }],
    ...profile,
  };
  return `echo '${JSON.stringify(whole)}' > ${fileOf(name)}`;
}

export async function withProfiles(
  guest: Guest,
  profiles: Readonly<Record<string, object>>,
  run: () => Promise<void>,
): Promise<void> {
  const lines = Object.entries(profiles).map(([name, profile]) => profileLine(name, profile));
  await guest.run(lines.join('\n'));
  try {
    await run();
  } finally {
    await guest.run(`rm ${Object.keys(profiles).map(fileOf).join(' ')}`);
  }
}

function fileOf(name: string): string {
  return `/etc/scan-service/profiles/${name}.yaml`;
}
