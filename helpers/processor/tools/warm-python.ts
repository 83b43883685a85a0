import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ended, Program } from '../../child-process.ts';
import type { Log } from '../../log.ts';
import { beginPythonLife, type PythonLife } from './python-life.ts';

/** What the scripts load, and take most of their time for. */
const MODULES = ['page_pdf', 'page_image', 'document_pdf', 'ocrmypdf.__main__'];

/** What is killed is gone at once; a Python that does not say so by then is stuck. In milliseconds. */
const KILL_MS = 2000;

export interface ScriptOptions {
  /** The script is killed when it takes longer, in milliseconds. */
  readonly timeoutMs: number;
  /** Kills the script when aborted. */
  readonly signal: AbortSignal;
  /** File that standard output is written to instead. */
  readonly stdoutFile?: string;
}

/**
 * A Python that has loaded its modules already, and runs scripts in copies of itself (warm_python.py): loading them takes
 * as long as encoding a page, and longer than assembling a document.
 */
export interface WarmPython {
  /**
   * Runs a script, named by its path, beside others, and tells how it ended as `runProgram` does. Undefined when this
   * Python itself died meanwhile, which is no fault of the script. Never rejects.
   */
  run(script: Program, options: ScriptOptions): Promise<Ended | undefined>;
  /** Ends it, and whatever still runs. */
  close(): Promise<void>;
}

/** What is told of a script that was ended together with a Python that was stuck. */
const KILLED = { exitCode: undefined, signal: 'SIGKILL', stdout: '', stderr: '' } as const;

/** Starts a warm Python. Should it die, the next script begins it anew. */
export function startWarmPython(log: Log): WarmPython {
  let life: PythonLife | undefined;
  let lastId = 0;

  function living(): PythonLife {
    if (life) return life;
    life = beginPythonLife(path.join(import.meta.dirname, '../python/warm_python.py'), MODULES);
    void mourn(life);
    return life;
  }

  async function mourn(begun: PythonLife): Promise<void> {
    const { exitCode, signal, stderr } = await begun.ended;
    if (life !== begun) return;
    life = undefined;
    log.error({ exitCode, signal, stderr }, 'the warm Python died');
  }

  living();
  return {
    run: async (script, { timeoutMs, signal, stdoutFile }) => {
      const began = performance.now();
      const python = living();
      const id = (lastId += 1);
      const settled = new AbortController();
      const kill = (): void => {
        python.kill(id);
        // A Python that does not even do that is stuck.
        void wait(KILL_MS, undefined, { signal: settled.signal }).then(python.end, () => {});
      };
      let isLate = false;
      const limit = setTimeout(() => {
        isLate = true;
        kill();
      }, timeoutMs);
      signal.addEventListener('abort', kill);
      const answer = python.run(id, { ...script, stdoutFile });
      if (signal.aborted) kill();
      const ended = await answer;
      settled.abort();
      clearTimeout(limit);
      signal.removeEventListener('abort', kill);
      if (!ended && !isLate && !signal.aborted) return undefined;
      const end = ended ?? KILLED;
      const wasKilled = end.signal !== undefined;
      return {
        ...end,
        timedOut: wasKilled && isLate,
        cancelled: wasKilled && signal.aborted,
        notFound: false,
        durationMs: performance.now() - began,
      };
    },
    close: async () => {
      const last = life;
      life = undefined;
      if (last) await last.close(KILL_MS);
    },
  };
}
