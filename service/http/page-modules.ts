import path from 'node:path';

/** Has everything that is loaded at the start. */
const START = 'main.js';

const ENTRY = 'entry.js';

/** Without these, rolldown keeps 40 MB and two threads per core until the service ends. */
const FRUGAL = {
  MIMALLOC_ARENA_EAGER_COMMIT: '0',
  RAYON_NUM_THREADS: '1',
  ROLLDOWN_MAX_BLOCKING_THREADS: '1',
  ROLLDOWN_WORKER_THREADS: '1',
};

/** The oldest browsers that the page is written for, as in test/support/old-browsers.ts. */
const BROWSERS = ['safari15.6', 'chrome108', 'firefox107'];

/**
 * Bundles and minifies the modules of the control page: half as large when compressed, and one
 * request instead of twenty. `main.js` has everything that is loaded at the start, and each module
 * that is loaded with `import()` keeps its path. Rejects if a module is broken, has a cycle, or
 * imports what is not there.
 *
 * @param directory with `main.js`
 * @returns code by path below `directory`, such as `texts/english.js`
 */
export async function bundleModules(directory: string): Promise<Map<string, string>> {
  // oxlint-disable-next-line node/no-process-env -- what rolldown reads when it is loaded
  Object.assign(process.env, FRUGAL);
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: path.join(directory, START),
    platform: 'browser',
    // The page's tsconfig.json extends a file that is not installed.
    tsconfig: false,
    transform: { target: BROWSERS },
    checks: { circularDependency: true },
    onLog: (_, { message }) => {
      throw new Error(message);
    },
  });
  try {
    const { output } = await bundle.generate({
      minify: true,
      // Puts everything that is loaded at the start into one file. Otherwise, modules that other
      // files also import would get a separate file.
      codeSplitting: { groups: [{ name: 'main', tags: ['$initial'] }] },
      chunkFileNames: ({ facadeModuleId: id, name }) =>
        id ? path.relative(directory, id) : `${name}.js`,
      entryFileNames: ENTRY,
    });
    const chunks = output.filter((file) => file.type === 'chunk');
    const codes = new Map(chunks.map(({ fileName, code }) => [fileName, code]));
    // Without any `import()`, the entry contains everything; otherwise it only imports `main.js`.
    const entry = codes.get(ENTRY) ?? '';
    codes.delete(ENTRY);
    return new Map([[START, entry], ...codes]);
  } finally {
    await bundle.close();
  }
}
