import { chmod, chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import {
  CONTAINER_ID,
  giveToContainers,
  letContainersRead,
} from '../../../deploy/setup/container-access.ts';
import { assert, inDirectory } from '../../support/suite.ts';

const test = inDirectory('access of the containers');

/** Only root can give a file to another group. */
const isRoot = process.getuid?.() === 0;

async function rights(file: string): Promise<[mode: string, gid: number]> {
  const { mode, gid } = await stat(file);
  return [(mode & 0o777).toString(8), gid];
}

if (isRoot) {
  test('files made with umask 077 become readable for the containers only', async ({ file }) => {
    const [secrets, token] = [file('secrets'), file('secrets/dms_api_token')];
    await mkdir(secrets);
    await writeFile(token, 'abc');
    await symlink('/etc/shadow', file('secrets/link'));
    await chmod(secrets, 0o700);
    await chmod(token, 0o600);
    const shadow = await rights('/etc/shadow');
    assert.equal(await letContainersRead(secrets), [secrets, token]);
    assert.equal(await rights(secrets), ['750', CONTAINER_ID]);
    assert.equal(await rights(token), ['640', CONTAINER_ID]);
    assert.equal(await rights('/etc/shadow'), shadow);
    assert.equal(await letContainersRead(secrets), []);
  });

  test('only an empty directory becomes writable for them', async ({ file }) => {
    const [empty, used] = [file('empty'), file('used')];
    for (const one of [empty, used]) {
      await mkdir(one, { mode: 0o700 });
      await chown(one, 1234, 1234);
    }
    await writeFile(file('used/letter'), 'mine');
    assert.ok(await giveToContainers(empty));
    assert.equal(await rights(empty), ['770', CONTAINER_ID]);
    assert.not.ok(await giveToContainers(used));
    assert.equal(await rights(used), ['700', 1234]);
  });

  test('a directory of root is given to them only if it holds only scans', async ({ file }) => {
    const [fresh, scans, share] = [file('fresh'), file('scans'), file('share')];
    for (const one of [fresh, scans, share]) await mkdir(one, { mode: 0o755 });
    await mkdir(file('scans/20261121T063000Z-8f3a1c'));
    await writeFile(file('scans/.service.lock'), '');
    await writeFile(file('share/letter'), 'mine');
    for (const one of [fresh, scans]) {
      assert.ok(await giveToContainers(one));
      assert.equal(await rights(one), ['750', CONTAINER_ID]);
    }
    assert.not.ok(await giveToContainers(share));
    assert.equal(await rights(share), ['755', 0]);
  });
}

test('what everyone may read is left unchanged', async ({ file }) => {
  const profiles = file('profiles');
  await mkdir(profiles);
  await chmod(profiles, 0o755);
  const before = await rights(profiles);
  assert.equal(await letContainersRead(profiles), []);
  assert.equal(await rights(profiles), before);
});
