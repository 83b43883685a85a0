import { until, type Appliance } from './appliance.ts';

/** Time limit for a restart, which Docker begins a tenth of a second after the kill. */
const BACK_MS = 60_000;

/**
 * Kills like the out-of-memory killer. After `docker kill`, the engine would not restart the
 * container.
 */
export async function killContainer({ docker }: Appliance, id: string): Promise<void> {
  const format = '{{.State.Pid}} {{.Config.Image}}';
  const [pid = '', image = ''] = (await docker.run(['inspect', '-f', format, id]))
    .trim()
    .split(' ');
  const script = "process.kill(Number(process.argv[1]), 'SIGKILL')";
  const asRoot = ['--pid', 'host', '--user', '0', '--network', 'none', '--entrypoint', 'node'];
  await docker.run(['run', '--rm', ...asRoot, image, '-e', script, pid]);
}

export async function killAndSeeItBack(appliance: Appliance, id: string): Promise<void> {
  const restarts = async (): Promise<number> =>
    Number(await appliance.docker.run(['inspect', '-f', '{{.RestartCount}}', id]));
  const before = await restarts();
  await killContainer(appliance, id);
  await until(BACK_MS, 'the engine to start the container again', async () => {
    return (await restarts()) > before;
  });
}
