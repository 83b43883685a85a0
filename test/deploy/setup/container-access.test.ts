import { chmod, chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  CONTAINER_ID,
  giveToContainers,
  letContainersRead,
} from '../../../deploy/setup/container-access.ts';
import { assert, suite, temporaryDirectory } from '../../support/suite.ts';

const test = suite('access of the containers');

/** Only root can give a file to another group. */
const isRoot = process.getuid?.() === 0;

async function rights(file: string): Promise<[mode: string, gid: number]> {
  const { mode, gid } = await stat(file);
  return [(mode & 0o777).toString(8), gid];
}

if (isRoot) {
  test('files made with umask 077 become readable for the group of the containers, and for no one else', async () => {
    const directory = await temporaryDirectory();
    try {
      const secrets = path.join(directory.path, 'secrets');
      const token = path.join(secrets, 'dms_api_token');
      await mkdir(secrets);
      await writeFile(token, 'abc');
      await symlink('/etc/shadow', path.join(secrets, 'link'));
      await chmod(secrets, 0o700);
      await chmod(token, 0o600);
      const shadow = await rights('/etc/shadow');
      assert.equal(await letContainersRead(secrets), [secrets, token]);
      assert.equal(await rights(secrets), ['750', CONTAINER_ID]);
      assert.equal(await rights(token), ['640', CONTAINER_ID]);
      assert.equal(await rights('/etc/shadow'), shadow);
      assert.equal(await letContainersRead(secrets), []);
    } finally {
      await directory.remove();
    }
  });

  test('an empty directory of scans becomes writable for the containers, whoever made it; a used one stays unchanged', async () => {
    const directory = await temporaryDirectory();
    try {
      const [empty, used] = ['empty', 'used'].map((name) => path.join(directory.path, name));
      for (const one of [empty, used]) {
        await mkdir(String(one), { mode: 0o700 });
        await chown(String(one), 1234, 1234);
      }
      await writeFile(path.join(String(used), 'letter'), 'mine');
      assert.ok(await giveToContainers(String(empty)));
      assert.equal(await rights(String(empty)), ['770', CONTAINER_ID]);
      assert.not.ok(await giveToContainers(String(used)));
      assert.equal(await rights(String(used)), ['700', 1234]);
    } finally {
      await directory.remove();
    }
  });

  test('a directory of root is given to the containers only where it holds nothing but scans', async () => {
    const directory = await temporaryDirectory();
    try {
      const [fresh, scans, share] = ['fresh', 'scans', 'share'].map((name) =>
        path.join(directory.path, name),
      );
      for (const one of [fresh, scans, share]) await mkdir(String(one), { mode: 0o755 });
      await mkdir(path.join(String(scans), '20261121T063000Z-8f3a1c'));
      await writeFile(path.join(String(scans), '.service.lock'), '');
      await writeFile(path.join(String(share), 'letter'), 'mine');
      for (const one of [fresh, scans]) {
        assert.ok(await giveToContainers(String(one)));
        assert.equal(await rights(String(one)), ['750', CONTAINER_ID]);
      }
      assert.not.ok(await giveToContainers(String(share)));
      assert.equal(await rights(String(share)), ['755', 0]);
    } finally {
      await directory.remove();
    }
  });
}

test('what everyone may read is left unchanged', async () => {
  const directory = await temporaryDirectory();
  try {
    const profiles = path.join(directory.path, 'profiles');
    await mkdir(profiles);
    await chmod(profiles, 0o755);
    const before = await rights(profiles);
    assert.equal(await letContainersRead(profiles), []);
    assert.equal(await rights(profiles), before);
  } finally {
    await directory.remove();
  }
});
