/** SCSI commands in their USB frame, as in SANE's backend/fujitsu-scsi.h. */

const COMMAND_BYTES = 31;
const COMMAND_CODE = 0x43;
const COMMAND_OFFSET = 19;
const STATUS_BYTES = 13;
const STATUS_OFFSET = 9;
const STATUS_CODE = 0x53;
const CHECK_CONDITION = 2;

export const OP = {
  testUnitReady: 0x00,
  requestSense: 0x03,
  inquiry: 0x12,
  modeSelect: 0x15,
  modeSense: 0x1a,
  scan: 0x1b,
  receiveDiagnostic: 0x1c,
  sendDiagnostic: 0x1d,
  setWindow: 0x24,
  read: 0x28,
  send: 0x2a,
  objectPosition: 0x31,
  hardwareStatus: 0xc2,
  scannerControl: 0xf1,
} as const;

/** Sense key, additional code and qualifier (sense_handler of the backend). */
export const SENSE = {
  fine: [0, 0, 0],
  jammed: [3, 0x80, 0x01],
  coverOpen: [3, 0x80, 0x02],
  empty: [3, 0x80, 0x03],
  doubleFeed: [3, 0x80, 0x07],
  invalidCommand: [5, 0x20, 0x00],
} as const;

export interface Reply {
  readonly data?: Buffer;
  readonly sense?: readonly [number, number, number];
  /** Bytes requested by the host but not sent, at the end of a page. */
  readonly missing?: number;
}

/** Number of bytes that the host sends after a command. */
export function bytesToCome(command: Buffer): number {
  switch (command.readUInt8(0)) {
    case OP.modeSelect:
    case OP.scan:
      return command.readUInt8(4);
    case OP.sendDiagnostic:
      return command.readUInt16BE(3);
    case OP.setWindow:
    case OP.send:
      return command.readUIntBE(6, 3);
    default:
      return 0;
  }
}

/** Number of bytes that the host reads after a command, before its status. */
export function bytesAskedFor(command: Buffer): number {
  switch (command.readUInt8(0)) {
    case OP.requestSense:
    case OP.inquiry:
    case OP.modeSense:
      return command.readUInt8(4);
    case OP.receiveDiagnostic:
      return command.readUInt16BE(3);
    case OP.read:
      return command.readUIntBE(6, 3);
    case OP.hardwareStatus:
      return command.readUInt16BE(7);
    default:
      return 0;
  }
}

/** 18 bytes. */
export function senseData({ sense = SENSE.fine, missing }: Reply): Buffer {
  const [key, code, qualifier] = sense;
  const bytes = Buffer.alloc(18);
  bytes.writeUInt8(0xf0, 0);
  bytes.writeUInt8(key | (missing === undefined ? 0 : 0x60), 2);
  bytes.writeUInt32BE(missing ?? 0, 3);
  bytes.writeUInt8(10, 7);
  bytes.writeUInt8(code, 12);
  bytes.writeUInt8(qualifier, 13);
  return bytes;
}

/** The command in a transfer from the host. Undefined for any other transfer. */
export function commandIn(transfer: Buffer): Buffer | undefined {
  const isCommand = transfer.length === COMMAND_BYTES && transfer[0] === COMMAND_CODE;
  return isCommand ? transfer.subarray(COMMAND_OFFSET) : undefined;
}

/** The status of a command, which the host reads last. */
export function statusOf({ sense, missing }: Reply): Buffer {
  const bytes = Buffer.alloc(STATUS_BYTES);
  bytes.writeUInt8(STATUS_CODE, 0);
  bytes.writeUInt8(
    sense === undefined && missing === undefined ? 0 : CHECK_CONDITION,
    STATUS_OFFSET,
  );
  return bytes;
}
