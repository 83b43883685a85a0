import { readFile, writeFile } from 'node:fs/promises';
import { program, tryProgram } from '../../debian/programs.ts';

/** The tables in which the engine adds rules for IPv4 and IPv6, as beginnings of commands. */
const TABLES = ['iptables', 'ip6tables'].flatMap((name) =>
  ['filter', 'nat'].map((table): [string, ...string[]] => [name, '--table', table]),
);
const FORWARDING = '/proc/sys/net/ipv4/ip_forward';

export interface Firewall {
  /** Removes only what Docker has added since. */
  restore(): Promise<void>;
}

/** Records the firewall rules before an engine starts, since dockerd does not remove its own. */
export async function rememberFirewall(): Promise<Firewall> {
  const before = await Promise.all(TABLES.map(rulesOf));
  const forwarding = await readFile(FORWARDING, 'utf8');
  return {
    restore: async () => {
      for (const [index, table] of TABLES.entries()) await takeBack(table, before[index] ?? []);
      if ((await readFile(FORWARDING, 'utf8')) !== forwarding)
        await writeFile(FORWARDING, forwarding);
    },
  };
}

async function rulesOf(table: [string, ...string[]]): Promise<string[]> {
  const { exitCode, stdout } = await tryProgram([...table, '--list-rules']);
  return exitCode === 0 ? stdout.trim().split('\n') : [];
}

async function takeBack(table: [string, ...string[]], before: readonly string[]): Promise<void> {
  const change = (...options: readonly string[]): Promise<string> =>
    program([...table, ...options]);
  const now = await rulesOf(table);
  const added = now.filter((rule) => !before.includes(rule));
  const chains = added.flatMap((rule) => /^-N (DOCKER\S*)$/u.exec(rule)?.[1] ?? []);
  // Rules with quoted spaces are never Docker's.
  for (const rule of added.filter((one) => /^-A .*\b(DOCKER|docker)/u.test(one))) {
    await change(...rule.replace(/^-A/u, '-D').split(' '));
  }
  for (const chain of chains) await change('--flush', chain);
  for (const chain of chains) await change('--delete-chain', chain);
  const policy = before.find((rule) => rule.startsWith('-P FORWARD'));
  if (policy !== undefined && !now.includes(policy)) await change(...policy.split(' '));
}
