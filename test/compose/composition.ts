import path from 'node:path';
import type { Ended } from '../../helpers/child-process.ts';
import { createDocker, type Commands, type Docker } from './engine/docker.ts';
import { program, tryProgram, type RunSettings } from '../debian/programs.ts';

export const CHECKOUT = path.resolve(import.meta.dirname, '../..');

/** Time limit of `docker compose`, which builds the processor's image over a slow connection. */
const COMPOSE_MS = 30 * 60_000;

export type DmsKind = 'paperless' | 'sample';

/** Everything needed to reach a composition under test, as JSON. */
export interface CompositionFacts {
  readonly commands: Commands;
  readonly project: string;
  readonly dms: DmsKind;
  /** Contains the directories of profiles, secrets and SANE's configuration. */
  readonly workspace: string;
  /** Variables for `docker compose`: ports, directories and tokens. */
  readonly environment: Readonly<Record<string, string>>;
  readonly ports: Readonly<
    Record<'service' | 'scanner' | 'slowScanner' | 'dms' | 'archive', number>
  >;
}

/** The composition under test: docker-compose.yml plus what the tests add. */
export interface Composition {
  readonly facts: CompositionFacts;
  readonly docker: Docker;
  /** Returns stdout. Throws if it fails. */
  compose(args: readonly string[], settings?: RunSettings): Promise<string>;
  tryCompose(args: readonly string[], settings?: RunSettings): Promise<Ended>;
  containers(part: string): Promise<string[]>;
  container(part: string): Promise<string>;
  node(part: string, script: string): Promise<string>;
}

export function createComposition(facts: CompositionFacts): Composition {
  const docker = createDocker(facts.commands.docker);
  const settingsOf = (settings: RunSettings = {}): RunSettings => ({
    timeoutMs: COMPOSE_MS,
    cwd: CHECKOUT,
    ...settings,
    env: { ...facts.environment, ...settings.env },
  });
  const files = filesOf(facts).flatMap((file) => ['--file', file]);
  const project = ['--project-name', facts.project, '--progress', 'plain', ...files];
  const commandOf = (args: readonly string[]): [string, ...string[]] => [
    ...facts.commands.compose,
    ...project,
    ...args,
  ];
  const compose: Composition['compose'] = async (args, settings) =>
    program(commandOf(args), settingsOf(settings));
  const containers: Composition['containers'] = async (part) => {
    const listed = await compose(['ps', '--quiet', part]);
    return listed.split('\n').filter((line) => line !== '');
  };
  const container: Composition['container'] = async (part) => {
    const [id, ...others] = await containers(part);
    if (id === undefined || others.length > 0) throw new Error(`not one container of ${part}`);
    return id;
  };
  return {
    facts,
    docker,
    compose,
    tryCompose: async (args, settings) => tryProgram(commandOf(args), settingsOf(settings)),
    containers,
    container,
    node: async (part, script) => docker.run(['exec', await container(part), 'node', '-e', script]),
  };
}

function filesOf({ dms }: CompositionFacts): string[] {
  const around = ['compose.test.yml', `compose.${dms === 'sample' ? 'sample-dms' : dms}.yml`];
  return ['docker-compose.yml', ...around.map((file) => `test/compose/${file}`)].map((file) =>
    path.join(CHECKOUT, file),
  );
}
