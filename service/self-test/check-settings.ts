import type { SettingsState } from '../settings/settings-store.ts';
import { fail, ok, warn, type Check, type Found } from './check.ts';

export function settingsCheck(root: string, state: () => SettingsState): Check {
  return { id: 'settings', subject: root, run: async () => describe(state()) };
}

function describe(state: SettingsState): Found {
  if (state.kind === 'good') return ok('The settings of the service can be read and written.');
  if (state.kind === 'none') {
    const why = state.why === undefined ? '' : `, and none can be (${state.why})`;
    return { status: 'skipped', what: `No settings of the service are stored${why}.` };
  }
  const { kind, what, remedy } = state;
  return kind === 'broken' ? fail(what, remedy) : warn(what, remedy);
}
