import { programEnvironment, runProgram } from '../../helpers/child-process.ts';

/** Makes a named pipe, at which a reader waits for ever; Node has no call for it. */
export async function makePipe(file: string): Promise<void> {
  const program = { file: 'mkfifo', args: [file], cwd: '/', env: programEnvironment() };
  const { exitCode, stderr } = await runProgram(program, { timeoutMs: 5000 });
  if (exitCode !== 0) throw new Error(`mkfifo: ${stderr}`);
}
