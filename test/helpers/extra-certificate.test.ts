import { mkdir } from 'node:fs/promises';
import { refusalOf } from '../support/appliance/part.ts';
import { makePipe } from '../support/make-pipe.ts';
import { assert, EVENT_MS, inDirectory, within } from '../support/suite.ts';

const test = inDirectory('NODE_EXTRA_CA_CERTS');

const MADE: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
  'is a named pipe, not a plain file': makePipe,
  'is a directory': (file) => mkdir(file),
  'cannot be read (ENOENT)': async () => {},
};

for (const main of ['service/main.ts', 'helpers/scanner/main.ts']) {
  for (const [reason, make] of Object.entries(MADE)) {
    test(`a file that ${reason} ends ${main} at its start`, async ({ file }) => {
      await make(file('ca.pem'));
      const environment = { NODE_EXTRA_CA_CERTS: file('ca.pem') };
      const said = await within(EVENT_MS, refusalOf(main, environment), 'the end');
      const lines = said.split('\n').filter((line) => !line.startsWith('Warning: Ignoring'));
      const expected = `NODE_EXTRA_CA_CERTS names ${file('ca.pem')}, which ${reason}. Give it a file`;
      assert.match(lines[0] ?? '', expected);
    });
  }
}
