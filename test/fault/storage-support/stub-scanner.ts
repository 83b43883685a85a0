import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { ScannerClient } from '../../../service/scanner/scanner-client.ts';
import { tiffFile } from '../../support/fake-scanimage/tiff-file.ts';

/** What stands in for the scanner runtime: another process, whose own file operations are not the service's. */
export interface StubScanner extends Omit<ScannerClient, 'health' | 'scan'> {
  health: ScannerClient['health'];
  scan: ScannerClient['scan'];
  /** Sheets in the feeder when a scan begins. */
  sheets: number;
  /** Sheets that were fed, over all scans. */
  readonly sheetsFed: () => number;
  /** Called when a page is on disk, before the service is told. */
  onSheet: (number: number) => void;
}

/** Bytes of a page's file. */
export const PAGE = tiffFile();

/** A scanner whose feeder holds that many sheets in each scan. */
export function createStubScanner(sheets: number): StubScanner {
  let fed = 0;
  const refuse = (): never => {
    throw new Error('not expected in this test');
  };
  const scanner: StubScanner = {
    sheets,
    sheetsFed: () => fed,
    onSheet: () => {},
    health: () => Promise.resolve(),
    scanning: () => Promise.resolve([]),
    listDevices: refuse,
    checkScan: refuse,
    describeDevice: refuse,
    readSensors: refuse,
    scan: async (request, { onPage }) => {
      for (let sheet = 0; sheet < scanner.sheets; sheet += 1) {
        const number = request.first_page + sheet;
        const filename = `page-${String(number).padStart(4, '0')}.tif`;
        writeFileSync(path.join(request.directory, filename), PAGE);
        fed += 1;
        scanner.onSheet(number);
        const size = { bytes: PAGE.length, width_px: 100, height_px: 60, dpi: 100, cropped: false };
        onPage({ number, sheet: request.first_sheet + sheet, side: 'front', filename, ...size });
        // The feeder takes longer than the service takes to note a page.
        await turn();
      }
      return { device: request.device, duplex: false, page_count: scanner.sheets, warnings: [] };
    },
    close: () => Promise.resolve(),
  };
  return scanner;
}
