import type { DeviceRequest } from '../../../helpers/ipc/messages.ts';

/**
 * What `scanimage -A` prints for devices of three kinds, shortened: in the form of frontend/scanimage.c, with names and
 * ranges of sane-fujitsu(5), sane-kodak(5) and sane-airscan.
 */
export const FUJITSU_ADF = `
All options specific to device \`fujitsu:fi-7160:4711':
  Standard:
    --source ADF Front|ADF Back|ADF Duplex [ADF Front]
        Selects the scan source (such as a document-feeder).
    --mode Lineart|Halftone|Gray|Color [Lineart]
        Selects the scan mode (e.g., lineart, monochrome, or color).
    --resolution 50..600dpi (in steps of 1) [600]
        Sets the resolution of the scanned image.
  Geometry:
    --page-width 0..221.121mm (in steps of 0.0211639) [215.872]
        Specifies the width of the media.
    --page-height 0..3174.95mm (in steps of 0.0211639) [279.364]
        Specifies the height of the media.
    -l 0..215.872mm (in steps of 0.0211639) [0]
        Top-left x position of scan area.
    -t 0..279.364mm (in steps of 0.0211639) [0]
        Top-left y position of scan area.
    -x 0..215.872mm (in steps of 0.0211639) [215.872]
        Width of scan-area.
    -y 0..279.364mm (in steps of 0.0211639) [279.364]
        Height of scan-area.
  Enhancement:
    --brightness -127..127 (in steps of 1) [0]
        Controls the brightness of the acquired image.
    --threshold 0..255 (in steps of 1) [inactive]
        Select minimum-brightness to get a white point
  Advanced:
    --ald[=(yes|no)] [no] [advanced]
        Scanner detects paper lower edge. May confuse some frontends.
    --df-action Default|Continue|Stop [Default]
        Action following double feed error
    --df-skew[=(yes|no)] [inactive] [advanced]
        Enable double feed error due to skew
    --swdeskew[=(yes|no)] [no] [advanced]
        Request driver to rotate skewed pages digitally.
    --swskip 0..100% (in steps of 0.100006) [0] [advanced]
        Request driver to discard pages with low percentage of dark pixels
  Sensors:
    --top-edge[=(yes|no)] [no] [hardware]
        Paper is pulled partly into adf
    --page-loaded[=(yes|no)] [yes] [hardware]
        Page loaded
    --scan[=(yes|no)] [no] [hardware]
        Scan button
    --function 0..9 (in steps of 1) [1] [hardware]
        Function character on screen
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

/** A sheet-fed portable: no source, no mode, and an area in pixels. */
export const BARE = `
    --resolution 300dpi [300]
    -x 0..2550pel [2550]
    -y 0..3300pel [3300]
    --eject
`;

/** A scan of both sides, as asked of the device. */
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
