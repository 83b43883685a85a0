/**
 * Options of seventeen real devices, taken from the tests of scanservjs. Printed in the format of
 * frontend/scanimage.c with one description for every option.
 */
export interface RecordedDevice {
  readonly name: string;
  /** `name values [current]`, as printed after the dashes. */
  readonly options: readonly string[];
  /** Words separated by `|`. */
  readonly sources?: string;
  readonly source?: string;
  /** Defaults to `Lineart|Gray|Color`. */
  readonly modes?: string;
  readonly resolutions: readonly number[] | { readonly min: number; readonly max: number };
  readonly max_page: readonly [width: number, height: number];
  /** The source and mode of a suggested profile. Defaults to no source, and Gray. */
  readonly suggested?: readonly [source: string | undefined, mode: string];
}

export function printed({ name, options }: RecordedDevice): string {
  const lines = options.map((option) => {
    const dashes = /^\S(?: |$)/u.test(option) ? '-' : '--';
    return `    ${dashes}${option}\n        An explanation of it (such as a document-feeder) [none].`;
  });
  const title = `All options specific to device \`${name}':`;
  return ['Output format is not set, using pnm as a default.', '', title, '  Mode:', ...lines].join(
    '\n',
  );
}

function recorded(name: string, made: Omit<RecordedDevice, 'name' | 'options'>) {
  return (...template: Parameters<typeof String.raw>): RecordedDevice => {
    const lines = String.raw(...template).split('\n');
    return { name, ...made, options: lines.map((line) => line.trim()).filter(Boolean) };
  };
}

function area(x: number, y: number, steps = '', auto = ''): string {
  return `
    l ${auto}0..${x}mm${steps} [0]
    t ${auto}0..${y}mm${steps} [0]
    x ${auto}0..${x}mm${steps} [${x}]
    y ${auto}0..${y}mm${steps} [${y}]`;
}

const FINE = ' (in steps of 0.0211639)';
const EPSON_HALFTONES =
  'halftoning None|Halftone A (Hard Tone)|Dither A (4x4 Bayer)|Text Enhanced Technology|Download pattern B';
const SENSORS = ['top-edge', 'page-loaded', 'cover-open', 'power-save', 'scan']
  .map((name) => `${name}[=(yes|no)] [no] [hardware]`)
  .join('\n');

function fujitsu(source: string, paper: string, height: string, widest: number): string {
  return `
    source ${source}
    mode Lineart|Halftone|Gray|Color [Lineart]
    resolution 50..600dpi (in steps of 1) [600]
    page-width 0..${widest}mm${FINE} [${paper}]
    page-height 0..${height}mm${FINE} [${paper === 'inactive' ? paper : '279.364'}]
    ht-pattern 0..3 (in steps of 1) [inactive]
    ald[=(yes|no)] [no] [advanced]
    df-skew[=(yes|no)] [inactive]
    df-diff Default|10mm|15mm|20mm [inactive]
    side[=(yes|no)] [no] [read-only]
    swskip 0..100% (in steps of 0.100006) [0]
    ${SENSORS}
    function <int> [1] [hardware]`;
}

const DPI = [75, 100, 150, 200, 300, 600, 1200];

export const RECORDED_DEVICES: readonly RecordedDevice[] = [
  recorded('plustek:libusb:001:008', {
    resolutions: { min: 50, max: 1200 },
    max_page: [215, 297],
  })`
    mode Lineart|Gray|Color [Color]
    depth 8|16bit [8]
    source Normal|Transparency|Negative [inactive]
    resolution 50..1200dpi [50]
    ${area(215, 297)}
    gamma-table 0..255,... [inactive]
    lamp-off-at-exit[=(yes|no)] [yes]
    warmup-time -1..999 (in steps of 1) [inactive]
    calibrate [inactive]
    button 0[=(yes|no)] [no] [hardware]
    button 4[=(yes|no)] [inactive]
  `,
  recorded('epson2:libusb:001:029', {
    resolutions: [75, 300, 600, 1200],
    max_page: [215.9, 297.18],
  })`
    mode Lineart|Gray|Color [Lineart]
    depth 8bit [inactive]
    ${EPSON_HALFTONES} [inactive]
    brightness 0..0 [inactive]
    gamma-correction User defined (Gamma=1.0)|User defined (Gamma=1.8) [User defined (Gamma=1.8)]
    resolution 75|300|600|1200dpi [75]
    red-gamma-table 0..255,...
    cct-profile -2..2,...
    ${area(215.9, 297.18)}
    source Flatbed [inactive]
    bay 1|2|3|4|5|6 [inactive]
    eject [inactive]
    adf-mode Simplex|Duplex [inactive]
  `,
  recorded('magic', {
    modes: 'Lineart|Gray|24bitColor',
    resolutions: [75, 300, 600, 1200],
    max_page: [215.9, 297.18],
  })`
    mode Lineart|Gray|24bitColor [24bitColor]
    contrast -50..50 (in steps of 10) [0]
    resolution 75|300|600|1200dpi [75]
    ${area(215.9, 297.18)}
  `,
  recorded('net:192.168.1.4:xerox_mfp:libusb:001:003', {
    sources: 'Flatbed|ADF|Auto',
    source: 'Flatbed',
    modes: 'Lineart|Halftone|Gray|Color',
    resolutions: DPI,
    max_page: [215.9, 297.18],
    suggested: ['ADF', 'Gray'],
  })`
    resolution 75|100|150|200|300|600|1200dpi [150]
    mode Lineart|Halftone|Gray|Color [Color]
    highlight 30..70% (in steps of 10) [inactive]
    source Flatbed|ADF|Auto [Flatbed]
    ${area(215.9, 297.18, ' (in steps of 1)')}
  `,
  recorded('pixma:04A91766_004AE4', {
    sources: 'Flatbed|Automatic Document Feeder',
    source: 'Flatbed',
    modes: 'Color|Gray|Lineart',
    resolutions: [75, 150, 300, 600, 1200],
    max_page: [216.069, 355.6],
    suggested: ['Automatic Document Feeder', 'Gray'],
  })`
    resolution auto||75|150|300|600|1200dpi [75]
    mode auto|Color|Gray|Lineart [Color]
    source Flatbed|Automatic Document Feeder [Flatbed]
    custom-gamma[=(auto|yes|no)] [yes]
    gamma-table auto|0..255,...
    gamma auto|0.299988..5 [2.2]
    ${area(216.069, 355.6, '', 'auto|')}
    button-update
    button-1 <int> [0] [read-only]
    adf-wait auto|0..3600 (in steps of 1) [inactive]
  `,
  recorded('brother4:bus9;dev1', {
    sources:
      'FlatBed|Automatic Document Feeder(left aligned)|Automatic Document Feeder(left aligned,Duplex)|Automatic Document Feeder(centrally aligned)|Automatic Document Feeder(centrally aligned,Duplex)',
    source: 'Automatic Document Feeder(left aligned)',
    modes: 'Black & White|Gray[Error Diffusion]|True Gray|24bit Color[Fast]',
    resolutions: [100, 150, 200, 300, 400, 600, 1200, 2400, 4800, 9600],
    max_page: [215.9, 355.6],
    suggested: ['Automatic Document Feeder(left aligned,Duplex)', 'True Gray'],
  })`
    mode Black & White|Gray[Error Diffusion]|True Gray|24bit Color[Fast] [24bit Color[Fast]]
    resolution 100|150|200|300|400|600|1200|2400|4800|9600dpi [200]
    source FlatBed|Automatic Document Feeder(left aligned)|Automatic Document Feeder(left aligned,Duplex)|Automatic Document Feeder(centrally aligned)|Automatic Document Feeder(centrally aligned,Duplex) [Automatic Document Feeder(left aligned)]
    brightness -50..50% (in steps of 1) [inactive]
    ${area(215.9, 355.6, ' (in steps of 0.0999908)')}
  `,
  recorded('epson:libusb:001:016', {
    sources: 'Flatbed|Transparency Unit',
    source: 'Flatbed',
    resolutions: [50, 60, 72, 75, 80, 90, 100, 120, 133, 144, 150, 300, 1600, 3200],
    max_page: [215.9, 297.18],
    suggested: ['Flatbed', 'Gray'],
  })`
    mode Lineart|Gray|Color [Lineart]
    ${EPSON_HALFTONES} [Halftone A (Hard Tone)]
    resolution 50|60|72|75|80|90|100|120|133|144|150|300|1600|3200dpi [50]
    cct-1 -127..127 [inactive]
    ${area(215.9, 297.18)}
    quick-format CD|A5 portrait|A5 landscape|Letter|A4|Max [Max]
    source Flatbed|Transparency Unit [Flatbed]
    bay  1 | 2 | 3 | 4 | 5 | 6  [inactive]
    eject [inactive]
    adf_mode Simplex|Duplex [inactive]
  `,
  recorded('umax1220u:libusb:001:004', {
    modes: '',
    resolutions: [75, 150, 300, 600],
    max_page: [228.6, 298.027],
  })`
    resolution auto||75|150|300|600dpi [75]
    gray[=(yes|no)] [no]
    ${area(228.6, 298.027)}
  `,
  recorded('utsushi:esci:usb:/sys/devices/platform/soc/20980000.usb/usb1/1-1/1-1.2/1-1.2:1.0', {
    modes: 'Monochrome|Grayscale|Color',
    resolutions: { min: 50, max: 1200 },
    max_page: [215.9, 297.18],
    suggested: [undefined, 'Grayscale'],
  })`
    source Document Table [Document Table] [read-only]
    enable-resampling[=(yes|no)] [inactive]
    resolution 50..1200dpi [75]
    x-resolution 50..1200dpi [75] [read-only]
    scan-area ISO/A4/Portrait|Letter/Portrait|Manual|Maximum [Manual]
    mode Monochrome|Grayscale|Color [Color]
    ${area(215.9, 297.18)}
    rotate 0 degrees|90 degrees|180 degrees|270 degrees|Auto [0 degrees]
    gamma 1.0|1.8 [1.8]
    transfer-size 1..268435455 [1048576]
  `,
  recorded('epjitsu:libusb:001:003', {
    sources: 'ADF Front|ADF Back|ADF Duplex',
    source: 'ADF Front',
    resolutions: { min: 50, max: 600 },
    max_page: [219.428, 450.707],
    suggested: ['ADF Duplex', 'Gray'],
  })`
    source ADF Front|ADF Back|ADF Duplex [ADF Front]
    mode Lineart|Gray|Color [Lineart]
    resolution 50..600dpi (in steps of 1) [300]
    t 0..289.353mm${FINE} [0]
    page-width 2.70898..219.428mm${FINE} [215.872]
    page-height 0..450.707mm${FINE} [292.062]
    brightness -127..127 (in steps of 1) [0]
    ${SENSORS}
  `,
  recorded('epson2:net:192.168.1.141', {
    sources: 'Flatbed|Automatic Document Feeder',
    source: 'Flatbed',
    resolutions: [75, 100, 150, 300, 600, 1200],
    max_page: [297.18, 431.8],
    suggested: ['Automatic Document Feeder', 'Gray'],
  })`
    mode Lineart|Gray|Color [Lineart]
    depth 8bit [inactive]
    resolution 75|100|150|300|600|1200dpi [75]
    ${area(297.18, 431.8)}
    source Flatbed|Automatic Document Feeder [Flatbed]
    auto-eject[=(yes|no)] [no]
    focus-position Focus on glass|Focus 2.5mm above glass [inactive]
    eject []
    adf-mode Simplex|Duplex [Simplex]
  `,
  recorded('net:scanner.lan:fujitsu:fi-7260:1208958', {
    sources: 'Flatbed|ADF Front|ADF Back|ADF Duplex',
    source: 'Flatbed',
    modes: 'Lineart|Halftone|Gray|Color',
    resolutions: { min: 50, max: 600 },
    max_page: [227.809, 296.972],
    suggested: ['ADF Duplex', 'Gray'],
  })`
    ${fujitsu('Flatbed|ADF Front|ADF Back|ADF Duplex [Flatbed]', 'inactive', '2750.47', 224.846)}
    ${area(227.809, 296.972, FINE)}
  `,
  recorded('net:scanner.lan:fujitsu:fi-7260:1208958 (its feeder)', {
    sources: 'Flatbed|ADF Front|ADF Back|ADF Duplex',
    source: 'ADF Front',
    modes: 'Lineart|Halftone|Gray|Color',
    resolutions: { min: 50, max: 600 },
    max_page: [224.846, 2750.47],
    suggested: ['ADF Duplex', 'Gray'],
  })`
    ${fujitsu('Flatbed|ADF Front|ADF Back|ADF Duplex [ADF Front]', '215.872', '2750.47', 224.846)}
    ${area(215.872, 279.364, FINE)}
  `,
  recorded('hpaio:/usb/PSC_1600_series?serial=MY4C3C30Z5L0', {
    sources: 'Flatbed',
    source: 'Flatbed',
    resolutions: DPI,
    max_page: [215.9, 296.926],
    suggested: ['Flatbed', 'Gray'],
  })`
    mode Lineart|Gray|Color [Color]
    resolution 75|100|150|200|300|600|1200dpi [75]
    compression None|JPEG [JPEG] [advanced]
    batch-scan[=(yes|no)] [no] [advanced]
    source Flatbed [Flatbed] [advanced]
    duplex[=(yes|no)] [inactive]
    ${area(215.9, 296.926)}
  `,
  recorded('fujitsu:ScanSnap S1500:8176', {
    sources: 'ADF Front|ADF Back|ADF Duplex',
    source: 'ADF Front',
    modes: 'Lineart|Halftone|Gray|Color',
    resolutions: { min: 50, max: 600 },
    max_page: [221.121, 876.695],
    suggested: ['ADF Duplex', 'Gray'],
  })`
    ${fujitsu('ADF Front|ADF Back|ADF Duplex [ADF Front]', '215.872', '876.695', 221.121)}
    ${area(215.872, 279.364, FINE)}
  `,
];

export const RECORDED_LISTS = [
  [['plustek:libusb:001:003', 'Canon', 'CanoScan N670U/N676U/LiDE20', 'flatbed scanner']],
  [
    ['plustek:libusb:001:003', 'Canon', 'CanoScan N670U/N676U/LiDE20', 'flatbed scanner'],
    [
      'airscan:w1:CANON INC. TR8500 series',
      'WSD',
      'CANON INC. TR8500 series',
      'WSD network scanner',
    ],
    ['airscan:e0:Canon TR8500 series', 'eSCL', 'Canon TR8500 series', 'eSCL network scanner'],
  ],
] as const;
