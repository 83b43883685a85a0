import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { programEnvironment } from '../../../helpers/child-process.ts';
import type { Scanimage } from '../../../helpers/scanner/scanimage.ts';
import { tiffFile, type TiffShape } from './tiff-file.ts';

/**
 * A scripted scanimage, for behavior that no real device can be made to show. The shell script
 * `scan` may call `prompt N` (asks for a newline; at the end of stdin, ends the batch with exit
 * code 0), `page N` (writes and names page N) and `half N` (leaves page N unfinished).
 */
export interface FakeScanimage {
  /** Output of `--all-options`, optionally per source ('' if none is selected). */
  readonly options?: string | Readonly<Record<string, string>>;
  /** Output of `--formatted-device-list`, with fields separated by `|`. */
  readonly devices?: string;
  readonly scan?: string;
  /** A shell script that runs first on every call. */
  readonly before?: string;
  readonly page?: TiffShape;
}

/** Options of a device with one feeder; its pages match `tiffFile`. */
export const FEEDER_OPTIONS = `
All options specific to device \`fake:0':
    --source Flatbed|ADF|ADF Duplex [ADF]
    --mode Lineart|Gray|Color [Gray]
    --resolution 100|200dpi [100]
    --swcrop[=(yes|no)] [no]
    -x 0..216mm [216]
    -y 0..356mm [356]
`;

const PRELUDE = `prompt() {
  printf 'Place document no. %s on the scanner.\\nPress <RETURN> to continue.\\n' "$1" >&2
  read -r line || exit 0
}
page() {
  name=$(printf 'page-%04d.tif' "$1")
  cp "$FAKE_DIRECTORY/page.tif" "$name.part"
  mv "$name.part" "$name"
  echo "$name"
}
half() { head -c 100 "$FAKE_DIRECTORY/page.tif" > "$(printf 'page-%04d.tif.part' "$1")"; }
echo "$*" >> "$FAKE_DIRECTORY/calls"
case "$*" in
  *--formatted-device-list*) tr '|' '\\037' < "$FAKE_DIRECTORY/devices"; exit 0 ;;
  *--all-options*)
    source=
    for argument do
      case "$argument" in --source=*) source=\${argument#--source=} ;; esac
    done
    options="$FAKE_DIRECTORY/options-$source"
    [ -e "$options" ] || options="$FAKE_DIRECTORY/options"
    cat "$options"
    exit 0 ;;
esac
`;

/**
 * Writes the program into `directory`, where its file `calls` will list the arguments of each call.
 */
export async function writeFakeScanimage(
  directory: string,
  { options = FEEDER_OPTIONS, devices = '', scan = '', before = '', page = {} }: FakeScanimage,
): Promise<Scanimage> {
  const file = path.join(directory, 'scanimage');
  const bySource = typeof options === 'string' ? { '': options } : options;
  for (const [source, printed] of Object.entries(bySource)) {
    const name = source === '' ? 'options' : `options-${source}`;
    await writeFile(path.join(directory, name), printed);
  }
  await writeFile(path.join(directory, 'devices'), devices);
  await writeFile(path.join(directory, 'page.tif'), tiffFile(page));
  await writeFile(path.join(directory, 'calls'), '');
  await writeFile(file, `#!/bin/sh\n${before}\n${PRELUDE}${scan}\n`);
  await chmod(file, 0o755);
  return { file, env: programEnvironment({ FAKE_DIRECTORY: directory }) };
}
