import type { Log } from '../helpers/log.ts';
import type { Environment } from './environment.ts';
import type { OperatorParts } from './http/routes/operator.ts';
import { createWrongTokens } from './http/wrong-tokens.ts';
import { createNewness, type NewnessParts } from './operator/newness.ts';
import { createOperator } from './operator/operator.ts';
import type { OwnSettings } from './own-settings.ts';
import type { ProfileStore } from './profiles/store.ts';
import { createDestinationStep } from './set-up/destination-step.ts';

/** Undefined if set-up in the browser is off. Logs if the appliance waits for set-up. */
export async function openOperator(
  { browserSetUp, dmsUrl, defaultDmsUrl }: Environment,
  { files, settings, readSecret, readOperatorSecret }: OwnSettings,
  parts: Pick<NewnessParts, 'callerToken' | 'roots'> & {
    readonly profiles: ProfileStore;
    readonly log: Log;
  },
): Promise<OperatorParts | undefined> {
  if (!browserSetUp) return undefined;
  const operator = createOperator({ files, brake: createWrongTokens(undefined, 'passwords') });
  const isNew = createNewness({ ...parts, settings, readSecret, dmsUrl });
  if ((await operator.state()) === 'none' && (await isNew())) {
    const text = 'This appliance is new: the first person who opens its page sets it up.';
    parts.log.warn({ event: 'set_up_waits' }, text);
  }
  const setDestination = createDestinationStep({
    files,
    settings,
    readOperatorSecret,
    fixedUrl: dmsUrl,
    trusted: [dmsUrl, defaultDmsUrl].filter((url) => url !== undefined),
    reload: () => parts.profiles.reload(),
  });
  return { operator, isNew, setDestination };
}
