import { EventEmitter } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createSecretReader } from '../../../service/paperless/secrets.ts';
import { createDms } from '../../../service/paperless/dms.ts';
import type { Profile } from '../../../service/profiles/profile.ts';
import { createUnfitProfiles } from '../../../service/profiles/unfit-profiles.ts';
import type { CheckResult } from '../../../service/self-test/check.ts';
import { createSelfTest, type SelfTestParts } from '../../../service/self-test/self-test.ts';
import { writeFile } from 'node:fs/promises';
import type { SampleDmsOptions } from '../../../simulators/sample-dms/options.ts';
import { createSampleDms, type SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { testProfile } from '../../support/test-app.ts';

/** A sentinel that must be in no check. */
export const TOKEN = '5ec2e75e41f1e1de57ba11ad00000000deadbeef';

/** A healthy appliance as far as the self-test sees it; every part can be replaced. */
export interface SelfTestBench {
  readonly directory: string;
  readonly root: string;
  readonly sample: SampleDms;
  readonly secretFile: string;
  readonly profile: (fields?: object) => Profile;
  readonly parts: () => SelfTestParts;
  /** All checks, with that much changed. Fails when one shows the token. */
  readonly checks: (
    change?: Partial<SelfTestParts>,
    profile?: Profile,
  ) => Promise<readonly CheckResult[]>;
  /** The checks that failed or warn, as one text: id, what happened, what to do. */
  readonly problems: (change?: Partial<SelfTestParts>, profile?: Profile) => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function createSelfTestBench(
  options: Partial<SampleDmsOptions> = {},
): Promise<SelfTestBench> {
  const temporary = await temporaryDirectory();
  const inside = (name: string): string => path.join(temporary.path, name);
  const root = inside('scans');
  await Promise.all([mkdir(root), mkdir(inside('secrets'))]);
  const secretFile = inside('secrets/dms_api_token');
  await writeFile(secretFile, `${TOKEN}\n`);
  const sample = await createSampleDms({ tokens: [TOKEN], storeDir: inside('dms'), ...options });
  const readSecret = createSecretReader({ directory: inside('secrets'), environment: {} });
  const profile = (fields: object = {}): Profile =>
    testProfile({
      name: 'default',
      // As many pages as fit on any machine.
      max_pages: 1,
      paths: { output_dir: root },
      destinations: [{ kind: 'dms', base_url: sample.url }],
      ...fields,
    });
  const versions = { ocrmypdf: '16' };
  const healthy = (of: Profile): SelfTestParts => ({
    profiles: {
      list: () => [of],
      isShipped: () => false,
      problems: () => [],
      events: new EventEmitter(),
    },
    unfit: createUnfitProfiles(),
    roots: () => [of.paths.output_dir],
    triggers: { status: () => [] },
    dms: createDms(readSecret),
    callerToken: { required: () => ({ state: 'none' }) },
    scanner: {
      health: () => Promise.resolve(),
      checkScan: ({ device }) => Promise.resolve({ device }),
    },
    socketPath: inside('scanner.sock'),
    processor: {
      health: async () => ({ status: 'ok', versions, languages: ['eng'], workers: 2 }),
    },
    processorUrl: 'http://processor:8081',
    // All parts had the time to start.
    upSeconds: () => 3600,
    checkOwner: () => Promise.resolve(),
    syncSpeed: async () => 1,
  });
  const checks: SelfTestBench['checks'] = async (change = {}, of = profile()) => {
    const result = await createSelfTest({ ...healthy(of), ...change })(true);
    if (JSON.stringify(result).includes(TOKEN)) throw new Error('a check shows the token');
    return result.checks;
  };
  return {
    directory: temporary.path,
    root,
    sample,
    secretFile,
    profile,
    parts: () => healthy(profile()),
    checks,
    problems: async (change, of) =>
      (await checks(change, of))
        .filter(({ status }) => status === 'fail' || status === 'warn')
        .map(({ id, status, message, remedy }) =>
          `${status} ${id}: ${message} ${remedy ?? ''}`.trimEnd(),
        )
        .join('\n'),
    close: async () => {
      await sample.close();
      await temporary.remove();
    },
  };
}
