/**
 * `npm run test:systemd` installs the service in a fresh Debian 13 with deploy/systemd/install.sh,
 * boots it with its own systemd, so that sandboxing applies, and scans through the units. Needs
 * root.
 */
import path from 'node:path';
import { startProgram } from '../../helpers/child-process.ts';
import { assert } from '../support/suite.ts';
import { runByRoot, type RootRun } from '../debian/by-root.ts';
import { copyCheckout, makeRoot, type DebianRoot } from '../debian/root.ts';
import { boot, type Machine } from './machine.ts';
import { NEW_SETTINGS, testSetUp } from './set-up.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../..');
const UNITS = ['scan-service', 'scan-service-scanner', 'scan-service-processor'];
/** Packages that every installed Debian has but a container lacks. */
const PACKAGES = ['systemd', 'systemd-sysv', 'dbus', 'ca-certificates', 'iproute2'];
const TOKEN = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';
/** The file that set-up writes, for `device: auto`. */
const AIRSCAN = `[devices]
"Office" = http://127.0.0.1:8089/eSCL, eSCL
[options]
discovery = disable`;
const PROFILE = `name: test
device: auto
source: ADF
max_pages: 2
destinations: [{kind: dms, base_url: "http://127.0.0.1:8000"}]`;
/** Waits until systemd has no pending jobs. */
const NO_JOBS_LEFT =
  'timeout 60 bash -c \'while [ -n "$(systemctl list-jobs --no-legend)" ]; do sleep 0.2; done\'';
const READY =
  'curl --silent --retry 60 --retry-all-errors --retry-delay 1 --fail http://localhost:8090/ready';
const STATUS = "systemctl status --no-pager --full --lines=20 'scan-service*' || true";
const LIFETIME_MS = 3_600_000;

const closers: (() => Promise<void>)[] = [];

await runByRoot('systemd', async (run) => {
  try {
    await testUnits(await installed(run), run);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
});

async function installed({ directory, signal, say }: RootRun): Promise<Machine> {
  say('Making a Debian 13 …');
  const root = await makeRoot({ directory, include: PACKAGES, signal });
  await copyCheckout(CHECKOUT, path.join(directory, 'root/scan-service'));
  say('Installing the service by deploy/systemd/install.sh, with what a set-up wrote …');
  await install(root);
  say('Booting …');
  const machine = await boot(root.directory);
  closers.push(async () => machine.stop());
  return machine;
}

/**
 * Installs a new appliance, which is kept for its set-up in the browser. Then makes a checkout that
 * only its owner can read, as `npm run setup` does, and runs the install script again.
 */
async function install(root: DebianRoot): Promise<void> {
  await root.run(`
    cd /root/scan-service
    sh deploy/systemd/install.sh
    cp --archive /etc/scan-service ${NEW_SETTINGS}
    mkdir -p config/profiles config/sane.d secrets
    echo '${PROFILE}' > config/profiles/test.yaml
    echo '${AIRSCAN}' > config/sane.d/airscan.conf
    touch docs/of-an-earlier-version
    echo ${TOKEN} > secrets/dms_api_token
    printf 'SECRETS_DIR=secrets\\nTZ=Europe/Berlin\\nPORT=8090\\n' > .env
    chmod -R go= .
    sh deploy/systemd/install.sh .
    rm docs/of-an-earlier-version
    sed -i 's/^max_pages: .*/max_pages: 3/' /etc/scan-service/profiles/test.yaml
    sh deploy/systemd/install.sh`);
}

async function testUnits(machine: Machine, { check, count, say }: RootRun): Promise<void> {
  const listen = ['--host', '0.0.0.0', '--port', '8089'];
  simulate(machine, 'virtual-scanner', [...listen, '--stack', 'ten', '--loop']);
  simulate(machine, 'sample-dms', ['--port', '8000', '--store', '/tmp/x'], {
    SAMPLE_DMS_TOKEN: TOKEN,
  });
  await check('the units start with the machine, with the settings of the set-up', async () => {
    assert.match(await machine.run(READY), /\{"status":"ready"\}/u);
    const settings = await machine.run('cat /etc/scan-service/environment');
    assert.is(settings.trim(), 'TZ=Europe/Berlin\nPORT=8090');
    const found = 'find /etc/scan-service /opt/scan-service/.tools -name environment -perm /o=r';
    assert.is(await machine.run(found), '');
  });
  await check('what was edited after the installation is kept by the next one', async () => {
    const edited = await machine.run('cat /etc/scan-service/profiles/test.yaml');
    assert.match(edited, /^max_pages: 3$/mu);
  });
  await check('nothing of an earlier version stays behind', async () => {
    assert.match(await machine.run('ls /opt/scan-service/docs'), /^api\.md$/mu);
    assert.is(await machine.run('find /opt/scan-service -name of-an-earlier-version'), '');
  });
  await check('a scan goes through all units', async () => {
    const json = `-H 'Content-Type: application/json'`;
    const scan = `curl -sS --retry 5 http://127.0.0.1:8090/scan ${json} -d '{"profile":"test"}'`;
    const answer = await machine.run(scan);
    assert.match(answer, /"status":"submitted"/u, answer);
  });
  for (const unit of UNITS) {
    await check(`${unit} has run without a restart, restricted as it says`, async () => {
      const state = await stateOf(machine, unit);
      assert.is(state, 'NRestarts=0 NoNewPrivileges=yes ActiveState=active Result=success');
    });
  }
  await check('the self-test finds the caller token where the programs are installed', async () => {
    const token = '/etc/scan-service/secrets/scan_api_token';
    await machine.run(`echo ${TOKEN} | install -g scan-service -m 0640 /dev/stdin ${token}`);
    const answer = await machine.try('cd /opt/scan-service && PORT=8090 npm run doctor 2>&1');
    assert.match(answer.stdout, /No problem found/u, answer.stdout);
  });
  await check('stopping the service stops all units, without an error', async () => {
    await machine.run('systemctl stop scan-service');
    // systemctl waits only for the given unit, not for the units that stop with it.
    await machine.run(NO_JOBS_LEFT);
    for (const unit of UNITS) {
      const state = await stateOf(machine, unit);
      assert.is(
        state,
        'NRestarts=0 NoNewPrivileges=yes ActiveState=inactive Result=success',
        `${unit}: ${state}`,
      );
    }
  });
  await testSetUp(machine, TOKEN, check);
  if (count.failed > 0) say(await machine.run(STATUS));
}

async function stateOf(machine: Machine, unit: string): Promise<string> {
  const properties = ['NRestarts', 'NoNewPrivileges', 'ActiveState', 'Result'];
  const shown = await machine.run(`systemctl show ${unit} --property ${properties.join(',')}`);
  const lines = shown.trim().split('\n');
  return properties.map((name) => lines.find((line) => line.startsWith(`${name}=`))).join(' ');
}

function simulate(
  { inItsNetwork }: Machine,
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): void {
  const [file, ...enter] = inItsNetwork;
  const main = path.join(CHECKOUT, 'simulators', name, 'main.ts');
  const running = startProgram(
    {
      file,
      args: [...enter, process.execPath, main, ...args],
      cwd: CHECKOUT,
      env: { PATH: process.env['PATH'] ?? '', ...env },
    },
    { timeoutMs: LIFETIME_MS },
  );
  running.stdin.end();
  closers.push(async () => {
    running.kill('SIGTERM');
    await running.ended;
  });
}
