import type { DeviceRequest, ScannedPage } from '../../../helpers/ipc/messages.ts';

/**
 * Abridged options of three kinds of devices, after sane-fujitsu(5), sane-kodak(5) and
 * sane-airscan. For real output, see recorded-devices.ts.
 */
export const FUJITSU_ADF = `
    --source ADF Front|ADF Back|ADF Duplex [ADF Front]
    --mode Lineart|Halftone|Gray|Color [Lineart]
    --resolution 50..600dpi (in steps of 1) [600]
    --page-width 0..221.121mm (in steps of 0.0211639) [215.872]
    --page-height 0..3174.95mm (in steps of 0.0211639) [279.364]
    -l 0..215.872mm (in steps of 0.0211639) [0]
    -t 0..279.364mm (in steps of 0.0211639) [0]
    -x 0..215.872mm (in steps of 0.0211639) [215.872]
    -y 0..279.364mm (in steps of 0.0211639) [279.364]
    --brightness -127..127 (in steps of 1) [0]
    --threshold 0..255 (in steps of 1) [inactive]
    --ald[=(yes|no)] [no] [advanced]
    --df-action Default|Continue|Stop [Default]
    --df-skew[=(yes|no)] [inactive] [advanced]
    --swdeskew[=(yes|no)] [no] [advanced]
    --swskip 0..100% (in steps of 0.100006) [0] [advanced]
    --page-loaded[=(yes|no)] [yes] [hardware]
    --scan[=(yes|no)] [no] [hardware]
`;

export const KODAK_ADF = `
    --source ADF Front|ADF Back|ADF Duplex [ADF Front]
    --mode Lineart|Halftone|Gray|Color [Gray]
    --resolution 200|300dpi [300]
    --pagewidth 0..215.9mm [215.9]
    --pageheight 0..355.6mm [355.6]
    -l 0..215.9mm [0]
    -t 0..355.6mm [0]
    -x 0..215.9mm [215.9]
    -y 0..355.6mm [355.6]
`;

export const AIRSCAN_ADF = `
  Standard:
    --resolution 100|150|200|300|400|600dpi [300]
    --mode Color|Gray [Color]
    --source Flatbed|ADF|ADF Duplex [ADF]
  Geometry:
    -l 0..215.9mm [0]
    -t 0..355.6mm [0]
    -x 0..215.9mm [215.9]
    -y 0..355.6mm [355.6]
  Enhancement:
    --brightness -100..100% (in steps of 1) [0]
    --adf-justification-x <string> [inactive]
`;

/** A sheet-fed portable scanner: no source, no mode, and an area in pixels. */
export const BARE = `
    --resolution 300dpi [300]
    -x 0..2550pel [2550]
    -y 0..3300pel [3300]
    --eject
`;

export const REQUEST: DeviceRequest = {
  device: 'a:b',
  source: 'ADF Duplex',
  mode: 'Gray',
  resolution: 300,
  page_size: { width_mm: 210, height_mm: 297 },
  max_pages: 10,
  scanner_options: {},
  directory: '/scans/1',
  first_page: 1,
  first_sheet: 1,
};

export const PAGE: ScannedPage = {
  number: 1,
  sheet: 1,
  side: 'front',
  filename: 'page-0001.tif',
  bytes: 10,
  width_px: 1,
  height_px: 1,
  dpi: 300,
  cropped: false,
};
