import { assert } from '../support/suite.ts';
import type { RootRun } from '../debian/by-root.ts';
import type { Machine } from './machine.ts';

/** Where `npm run test:systemd` keeps the settings of the fresh installation. */
export const NEW_SETTINGS = '/root/new-settings';

/** An address of the machine that is not its loopback, as a scanner at home has. */
const SCANNER = '192.0.2.50';

const CALLS = `
call() {
  curl --silent --show-error --fail-with-body --max-time 300 --cookie /tmp/jar --cookie-jar /tmp/jar \\
    --header 'Content-Type: application/json' --data "$3" --request "$1" "http://localhost:8080$2"
}
ready() {
  curl --silent --retry 60 --retry-all-errors --retry-delay 1 --fail http://localhost:8080/ready >/dev/null
}`;

/** Sets up a new appliance by the calls of its page, up to a filed document. */
export async function testSetUp(
  machine: Machine,
  token: string,
  check: RootRun['check'],
): Promise<void> {
  await machine.run(`
    rm -rf /etc/scan-service /var/lib/scan-service/*
    mv ${NEW_SETTINGS} /etc/scan-service
    ip address add ${SCANNER}/32 dev lo
    systemctl start scan-service`);
  await check('a fresh installation becomes ready, and waits for its set-up', async () => {
    const state = await machine.run(`${CALLS}
      ready
      curl --silent http://localhost:8080/set-up
      journalctl --unit scan-service --output cat --since -2min`);
    assert.match(state, /^\{"state":"new"/u);
    assert.match(state, /"event":"set_up_waits"/u);
  });
  await check('its set-up files a document, also after a restart in between', async () => {
    const answer = await machine.run(`${CALLS}
      call POST /set-up/claim '{"password":"correct horse"}'
      call POST /set-up/scanner '{"scanner":"${SCANNER}:8089"}'
      systemctl restart scan-service
      ready
      call POST /set-up/paperless '{"address":"localhost:8000","token":"${token}"}'
      call POST /set-up/finish '{}'
      call POST /scan '{"profile":"default"}'`);
    assert.match(answer, /"status":"submitted"/u, answer);
  });
  await check('a lost operator password is replaced on the machine', async () => {
    const answer = await machine.run(`${CALLS}
      cd /opt/scan-service
      password=$(npm run operator-password | grep --only-matching --extended-regexp '([a-z2-9]{4}-){3}[a-z2-9]{4}')
      call POST /set-up/session "{\\"password\\":\\"$password\\"}"
      call GET /set-up ''
      find /var/lib/scan-service/settings -not -user scan-service -or -perm /077`);
    assert.match(answer, /"logged_in":true,"finished":true\}$/u, answer);
  });
}
