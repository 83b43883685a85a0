/** The oldest Node for the set-up. With older ones, npm omits packages that need a newer Node. */
const OLDEST_MAJOR = 20;

// Imported before any other module, since nothing may be installed by an older Node.
if (Number.parseInt(process.versions.node, 10) < OLDEST_MAJOR) {
  process.stderr.write(
    `This is Node.js ${process.versions.node}, and ${OLDEST_MAJOR} or later is needed. Nothing was installed. Debian 12's own Node.js is ` +
      'too old: install a newer one (https://nodejs.org/en/download), or use Docker (deploy/README.md).\n',
  );
  process.exit(1);
}
