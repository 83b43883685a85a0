/**
 * Devices as people reported them, and as the manual pages of their drivers describe them, shortened to what decides on sides and paper:
 * what `scanimage -A` prints with each source, and '' with none. Written from these facts.
 */
export type ReportedDevice = Readonly<Record<string, string>>;

function area(width: number, height: number, unit = 'mm'): string {
  return `    --mode Lineart|Gray|Color [Gray]
    --resolution 75|100|150|300|600dpi [100]
    -l 0..${width}${unit} [0]
    -t 0..${height}${unit} [0]
    -x 0..${width}${unit} [${width}]
    -y 0..${height}${unit} [${height}]
`;
}

/** What it prints with each of its sources; '' is the first one. */
function bySource(
  sources: readonly string[],
  rest: (source: string) => string,
  flags = '',
): ReportedDevice {
  const printed = sources.map(
    (source) =>
      [source, `    --source ${sources.join('|')} [${source}]${flags}\n${rest(source)}`] as const,
  );
  return { ...Object.fromEntries(printed), '': printed[0]?.[1] ?? '' };
}

const GLASS_OR_FEEDER = ['Flatbed', 'Automatic Document Feeder'];
const A4 = area(215.9, 297.18);
const ACTIVE_WITH = (feeder: string, option: string, current: string) => (source: string) =>
  `${A4}    ${option} [${source === feeder ? current : 'inactive'}]\n`;

/** Epson with `epson2`, and Konica Minolta with `magicolor`: the option is there with any source (scanimage-a11). */
const EPSON2 = bySource(GLASS_OR_FEEDER, () => `${A4}    --adf-mode Simplex|Duplex [Simplex]\n`);

/** Newer versions of `epson2`: it is inactive with the glass. */
const EPSON2_INACTIVE = bySource(
  GLASS_OR_FEEDER,
  ACTIVE_WITH('Automatic Document Feeder', '--adf-mode Simplex|Duplex', 'Simplex'),
);

/** The old `epson` spells it with an underscore (scanimage-a7). */
const EPSON = bySource(
  GLASS_OR_FEEDER,
  ACTIVE_WITH('Automatic Document Feeder', '--adf_mode Simplex|Duplex', 'Simplex'),
);

/** HP with `hpaio`: all marked advanced, yes or no, and inactive with the glass (scanimage-a13). */
const HPAIO = bySource(
  ['Flatbed', 'ADF'],
  (source) =>
    `${A4}    --duplex[=(yes|no)] ${source === 'ADF' ? '[no] [advanced]' : '[inactive]'}\n`,
  ' [advanced]',
);

/** HP with an older `hpaio`: a source called Duplex. */
const HPAIO_OLD = bySource(['Flatbed', 'ADF', 'Duplex'], () => A4);

/** Panasonic with `kvs20xx`: short words, and a feeder that starts with both sides. */
const KVS20XX = bySource(['adf', 'fb'], () => `${A4}    --duplex[=(yes|no)] [yes]\n`);

/** Panasonic with `matsushita`: no source to choose. */
const MATSUSHITA: ReportedDevice = { '': `${A4}    --duplex[=(yes|no)] [no]\n` };

/** fujitsu reports a switch of that name, which cannot be set (sane-fujitsu(5)). */
const FUJITSU = bySource(
  ['ADF Front', 'ADF Back', 'ADF Duplex', 'Card Front', 'Card Back', 'Card Duplex'],
  () => `${A4}    --duplex[=(yes|no)] [no] [hardware]\n`,
);

/** Brother with the maker's own driver (scanimage-a6). */
const BROTHER4 = bySource(
  [
    'FlatBed',
    ...['left', 'centrally'].flatMap((side) =>
      ['', ',Duplex'].map((sides) => `Automatic Document Feeder(${side} aligned${sides})`),
    ),
  ],
  () => A4,
);

/** HP ScanJet 5590: both sides by the source, and an area that ends 4.9 mm before A4. */
const HP5590 = bySource(['Flatbed', 'ADF', 'ADF Duplex'], () => area(215.9, 292.1));

/** A network scanner whose glass is Letter (sane-airscan, issue 355). */
const LETTER = bySource(['Flatbed'], () => area(215.9, 279.4));

/** A glass for A4 only: Letter is 5.9 mm wider. */
const NARROW = bySource(['Flatbed'], () => area(210, 297));

/** The glass of SANE's own `test` backend, on which no format of letters fits. */
const SMALL = bySource(['Flatbed'], () => area(200, 200));

/** Canon with the maker's own driver, whose area is a mistake. */
const CANON_PIXMA = bySource(['Flatbed', 'ADF'], () => area(0.0046, 0.0046, 'pel'));

/** A feeder that scans one side only. */
const ONE_SIDED = bySource(GLASS_OR_FEEDER, () => A4);

/** By the names that tests give them. */
export const REPORTED_DEVICES = {
  EPSON2,
  EPSON2_INACTIVE,
  EPSON,
  HPAIO,
  HPAIO_OLD,
  KVS20XX,
  MATSUSHITA,
  FUJITSU,
  BROTHER4,
  HP5590,
  ONE_SIDED,
  LETTER,
  NARROW,
  SMALL,
  CANON_PIXMA,
} satisfies Record<string, ReportedDevice>;
