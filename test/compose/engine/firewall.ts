import { readFile, writeFile } from 'node:fs/promises';
import { program, tryProgram } from './programs.ts';

/** The engine writes rules for both versions of IP, in these two tables. */
const PROGRAMS = ['iptables', 'ip6tables'] as const;
const TABLES = ['filter', 'nat'] as const;
const FORWARDING = '/proc/sys/net/ipv4/ip_forward';

export interface Firewall {
  /** Takes away what Docker has added since, and nothing else. */
  restore(): Promise<void>;
}

/** Looks at the firewall before an engine is started: dockerd leaves its rules behind when it ends. */
export async function rememberFirewall(): Promise<Firewall> {
  const before = await rulesOfAll();
  const forwarding = await readFile(FORWARDING, 'utf8');
  return {
    restore: async () => {
      for (const [key, rules] of await rulesOfAll()) {
        await takeBack(key, before.get(key) ?? [], rules);
      }
      if ((await readFile(FORWARDING, 'utf8')) !== forwarding)
        await writeFile(FORWARDING, forwarding);
    },
  };
}

type Key = `${(typeof PROGRAMS)[number]} ${(typeof TABLES)[number]}`;

/** The rules of each table, as the options that would make them; none where there is no such table. */
async function rulesOfAll(): Promise<Map<Key, string[]>> {
  const found = new Map<Key, string[]>();
  for (const name of PROGRAMS) {
    for (const table of TABLES) {
      const listed = await tryProgram([name, '--table', table, '--list-rules']).catch(
        () => undefined,
      );
      if (listed?.exitCode !== 0) continue;
      found.set(`${name} ${table}`, listed.stdout.trim().split('\n'));
    }
  }
  return found;
}

async function takeBack(
  key: Key,
  before: readonly string[],
  now: readonly string[],
): Promise<void> {
  const [name = '', table = ''] = key.split(' ');
  const change = async (options: readonly string[]): Promise<string> =>
    program([name, '--table', table, ...options]);
  const added = now.filter((rule) => !before.includes(rule));
  const chains = added.flatMap((rule) => /^-N (DOCKER\S*)$/u.exec(rule)?.[1] ?? []);
  // A rule that has spaces in quotes is none of Docker's.
  for (const rule of added.filter((one) => /^-A .*\b(DOCKER|docker)/u.test(one))) {
    await change(rule.replace(/^-A/u, '-D').split(' '));
  }
  for (const chain of chains) await change(['--flush', chain]);
  for (const chain of chains) await change(['--delete-chain', chain]);
  const policy = before.find((rule) => rule.startsWith('-P FORWARD'));
  if (policy !== undefined && !now.includes(policy)) await change(policy.split(' '));
}
