/** The command with which a person makes a directory for the service. */
export function makeCommand(directory: string): string {
  const { uid, gid } = ownIds();
  return remedy(`install -d -o ${uid} -g ${gid} -m 0750`, directory);
}

/** The command with which a person gives the service a directory, with all that is in it: other scans could not be read otherwise. */
export function giveCommand(directory: string): string {
  const { uid, gid } = ownIds();
  return remedy(`chown -R ${uid}:${gid}`, directory);
}

function remedy(command: string, directory: string): string {
  return `Run: sudo ${command} ${shellWord(directory)} (in containers, that is the directory SCANS in .env)`;
}

function ownIds(): { uid: number | undefined; gid: number | undefined } {
  return { uid: process.getuid?.(), gid: process.getgid?.() };
}

/** As a shell takes it for one word. */
function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
