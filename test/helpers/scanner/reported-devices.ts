/**
 * What devices report about sides and paper, from users' reports and driver manual pages: the
 * output of `scanimage -A` per source. `scanimage-a11` and the like are test files of scanservjs.
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

/** Epson (`epson2`), Konica Minolta (`magicolor`): every source has `adf-mode` (scanimage-a11). */
const EPSON2 = bySource(GLASS_OR_FEEDER, () => `${A4}    --adf-mode Simplex|Duplex [Simplex]\n`);

/** Newer versions of `epson2`: `adf-mode` is inactive for the flatbed. */
const EPSON2_INACTIVE = bySource(
  GLASS_OR_FEEDER,
  ACTIVE_WITH('Automatic Document Feeder', '--adf-mode Simplex|Duplex', 'Simplex'),
);

/** The old `epson` driver: `adf_mode` with an underscore (scanimage-a7). */
const EPSON = bySource(
  GLASS_OR_FEEDER,
  ACTIVE_WITH('Automatic Document Feeder', '--adf_mode Simplex|Duplex', 'Simplex'),
);

/** HP (`hpaio`): `duplex` is an advanced option, inactive for the flatbed (scanimage-a13). */
const HPAIO = bySource(
  ['Flatbed', 'ADF'],
  (source) =>
    `${A4}    --duplex[=(yes|no)] ${source === 'ADF' ? '[no] [advanced]' : '[inactive]'}\n`,
  ' [advanced]',
);

const HPAIO_OLD = bySource(['Flatbed', 'ADF', 'Duplex'], () => A4);

/** Panasonic (`kvs20xx`): short source names, and a feeder that scans both sides by default. */
const KVS20XX = bySource(['adf', 'fb'], () => `${A4}    --duplex[=(yes|no)] [yes]\n`);

const MATSUSHITA: ReportedDevice = { '': `${A4}    --duplex[=(yes|no)] [no]\n` };

/** `fujitsu` has an option `duplex` that cannot be set (sane-fujitsu(5)). */
const FUJITSU = bySource(
  ['ADF Front', 'ADF Back', 'ADF Duplex', 'Card Front', 'Card Back', 'Card Duplex'],
  () => `${A4}    --duplex[=(yes|no)] [no] [hardware]\n`,
);

/** Brother with the vendor's driver (scanimage-a6). */
const BROTHER4 = bySource(
  [
    'FlatBed',
    ...['left', 'centrally'].flatMap((side) =>
      ['', ',Duplex'].map((sides) => `Automatic Document Feeder(${side} aligned${sides})`),
    ),
  ],
  () => A4,
);

/** HP ScanJet 5590: the source selects both sides, and the area ends 4.9 mm short of A4. */
const HP5590 = bySource(['Flatbed', 'ADF', 'ADF Duplex'], () => area(215.9, 292.1));

/** A network scanner with a Letter flatbed (sane-airscan, issue 355). */
const LETTER = bySource(['Flatbed'], () => area(215.9, 279.4));

/** An A4-only flatbed: Letter is 5.9 mm wider. */
const NARROW = bySource(['Flatbed'], () => area(210, 297));

/** The flatbed of SANE's `test` backend, too small for any letter format. */
const SMALL = bySource(['Flatbed'], () => area(200, 200));

/** Canon with the vendor's driver, which reports a wrong area. */
const CANON_PIXMA = bySource(['Flatbed', 'ADF'], () => area(0.0046, 0.0046, 'pel'));

const ONE_SIDED = bySource(GLASS_OR_FEEDER, () => A4);

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
