/**
 * The scanner's self-description, at the offsets where SANE reads it (sane-backends,
 * backend/fujitsu-scsi.h: "INQUIRY"): an fi-6130, an A4 duplex feeder without flatbed.
 */

const SCANNER = 0x06;
const MAX_DPI = 600;
const MIN_DPI = 50;
/** Resolution of the sizes below. */
const BASIC_DPI = 300;
/** 216 × 356 mm, in pixels of BASIC_DPI. */
const MAX_WIDTH = 2592;
const MAX_LENGTH = 4205;
const STANDARD_BYTES = 96;
/** The page ends after the overscan sizes, as in models of this series. */
const VITAL_BYTES = 0x68;

export function standardInquiry(product: string): Buffer {
  const bytes = Buffer.alloc(STANDARD_BYTES);
  bytes.writeUInt8(SCANNER, 0);
  bytes.writeUInt8(2, 2);
  bytes.writeUInt8(2, 3);
  bytes.writeUInt8(STANDARD_BYTES - 5, 4);
  bytes.write('FUJITSU '.padEnd(8), 8, 'latin1');
  bytes.write(product.padEnd(16), 16, 'latin1');
  bytes.write('0200', 32, 'latin1');
  return bytes;
}

/** Page 0xf0: sizes, resolutions, modes and supported commands. */
export function vitalProductData(): Buffer {
  const bytes = Buffer.alloc(VITAL_BYTES);
  bytes.writeUInt8(SCANNER, 0);
  bytes.writeUInt8(0xf0, 1);
  bytes.writeUInt8(0x5f, 4);
  bytes.writeUInt16BE(BASIC_DPI, 0x05);
  bytes.writeUInt16BE(BASIC_DPI, 0x07);
  // Any resolution between the limits, in steps of 1.
  bytes.writeUInt8(0x11, 0x09);
  bytes.writeUInt16BE(MAX_DPI, 0x0a);
  bytes.writeUInt16BE(MAX_DPI, 0x0c);
  bytes.writeUInt16BE(MIN_DPI, 0x0e);
  bytes.writeUInt16BE(MIN_DPI, 0x10);
  bytes.writeUInt32BE(MAX_WIDTH, 0x14);
  bytes.writeUInt32BE(MAX_LENGTH, 0x18);
  // Line art, halftone, gray and colour.
  bytes.writeUInt8(0b1000_1110, 0x1c);
  // A feeder, duplex, and a panel with buttons.
  bytes.writeUInt8(0b1001_0010, 0x20);
  bytes.writeUInt8(8, 0x21);
  bytes.writeUInt32BE(16 * 1024 * 1024, 0x22);
  // OBJECT POSITION, SEND, READ, SET WINDOW, SEND and RECEIVE DIAGNOSTIC, SCAN.
  bytes.writeUInt8(0b1110_1111, 0x28);
  // MODE SENSE and SELECT, INQUIRY, REQUEST SENSE, TEST UNIT READY.
  bytes.writeUInt8(0b1000_1111, 0x29);
  // GET HARDWARE STATUS.
  bytes.writeUInt8(0b0000_0100, 0x2b);
  // SCANNER CONTROL.
  bytes.writeUInt8(0b0000_0010, 0x31);
  // Steps of brightness, threshold and contrast.
  bytes.fill(255, 0x52, 0x55);
  // Four internal gamma curves.
  bytes.writeUInt8(0x40, 0x57);
  return bytes;
}
