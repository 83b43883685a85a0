import { EventEmitter } from 'node:events';
import { beforeAbort } from '../../helpers/before-abort.ts';
import { Feeder, type Paper, type Sheet } from '../virtual-scanner/feeder.ts';
import { standardInquiry, vitalProductData } from './inquiry.ts';
import {
  bytesPerLine,
  pixelsOf,
  scanPage,
  type Composition,
  type Image,
  type ScanWindow,
} from './paper.ts';
import {
  bytesAskedFor,
  bytesToCome,
  commandIn,
  OP,
  SENSE,
  senseData,
  statusOf,
  type Reply,
} from './scsi.ts';
import { VENDOR_SPECIFIC, type Transfer, type UsbDevice, type UsbIdentity } from './usb-device.ts';

/** A fault at a sheet of a scan, counted from 1. Remains until replaced or removed. */
export interface ScannerFault {
  /**
   * `wait`: after a quarter of the front, the transfer sends only a block per `WAITING_BLOCK_MS`
   * until the fault is removed.
   */
  readonly kind: 'jam' | 'doubleFeed' | 'wait';
  readonly atSheet: number;
}

export interface ScannerState {
  coverOpen: boolean;
  asleep: boolean;
  scanButton: boolean;
  functionNumber: number;
  /** Without a paper sensor, the feeder always reports that it is empty, but feeds anyway. */
  seesPaper: boolean;
  /** Per transfer to the host in milliseconds, to simulate a slow bus. */
  transferMs: number;
}

export interface ScannerEvents {
  sheet: [number];
  waits: [];
  command: [number];
}

/** An fi-6130. */
const FI_6130 = { vendor: 0x04c5, product: 0x114f } as const;
const PRODUCT_NAME = 'fi-6130dj';

/** SANE's `fujitsu` gives up after 30 s without a response, which is short on a busy machine. */
const WAITING_BLOCK_MS = 15_000;

const BACK = 0x80;
const COMPOSITIONS: Readonly<Record<number, Composition>> = { 0: 'lineart', 2: 'gray', 5: 'color' };

interface Side {
  readonly image: Image;
  readonly composition: Composition;
  sent: number;
}

const FINE: Reply = {};

/** A document scanner at wire level: SCSI in bulk transfers, for SANE's `fujitsu`. */
export class DocumentScanner implements UsbDevice {
  readonly events = new EventEmitter<ScannerEvents>();
  readonly feeder = new Feeder();
  readonly identity: UsbIdentity;
  readonly state: ScannerState = {
    coverOpen: false,
    asleep: false,
    scanButton: false,
    functionNumber: 1,
    seesPaper: true,
    transferMs: 0,
  };
  readonly #serial: number;
  #fault: ScannerFault | undefined;
  #faultEnds = Promise.withResolvers<void>();
  #command: Buffer | undefined;
  /** Number of data bytes expected after the command. */
  #awaited = 0;
  #received: Buffer[] = [];
  #outgoing: Promise<Transfer>[] = [];
  #sense: Reply = FINE;
  #windows = new Map<number, ScanWindow>();
  #sheet: Sheet | undefined;
  #sides = new Map<number, Side>();
  #sheets = 0;

  constructor(serial: number) {
    this.#serial = serial;
    this.identity = {
      ...FI_6130,
      manufacturer: 'Fujitsu',
      name: 'fi-6130',
      serial: String(serial),
      interfaces: [[VENDOR_SPECIFIC, 0, 0]],
    };
  }

  load(papers: readonly Paper[]): void {
    this.feeder.load(papers);
  }

  /** Sets or removes the fault. Resumes what the previous fault paused. */
  setFault(fault?: ScannerFault): void {
    this.#fault = fault;
    this.#faultEnds.resolve();
    this.#faultEnds = Promise.withResolvers();
  }

  reset(): void {
    this.#command = undefined;
    this.#awaited = 0;
    this.#received = [];
    this.#outgoing = [];
  }

  write(data: Buffer): void {
    if (this.#command && this.#awaited > 0) {
      this.#received.push(data);
      this.#awaited -= data.length;
      if (this.#awaited <= 0) this.#perform(this.#command, Buffer.concat(this.#received));
      return;
    }
    const command = commandIn(data);
    if (!command) return;
    this.#command = command;
    this.#received = [];
    this.#outgoing = [];
    this.#awaited = bytesToCome(command);
    if (this.#awaited === 0) this.#perform(command, Buffer.alloc(0));
  }

  async read(length: number): Promise<Transfer> {
    const { transferMs } = this.state;
    if (transferMs > 0) await new Promise((resolve) => setTimeout(resolve, transferMs));
    const next = await (this.#outgoing.shift() ?? Promise.resolve('stall' as const));
    return typeof next === 'string' ? next : next.subarray(0, length);
  }

  #perform(command: Buffer, data: Buffer): void {
    this.#awaited = 0;
    const operation = command.readUInt8(0);
    this.events.emit('command', operation);
    const reply = this.#answer(operation, command, data);
    const asked = bytesAskedFor(command);
    const status = reply.then((given): Transfer => {
      if (operation !== OP.requestSense) this.#sense = given;
      return statusOf(given);
    });
    const sent = reply.then(({ data: given }): Transfer => given ?? Buffer.alloc(0));
    this.#outgoing = asked > 0 ? [sent, status] : [status];
  }

  async #answer(operation: number, command: Buffer, data: Buffer): Promise<Reply> {
    switch (operation) {
      case OP.testUnitReady:
      case OP.modeSelect:
      case OP.send:
      case OP.sendDiagnostic:
        return FINE;
      case OP.requestSense:
        return { data: senseData(this.#sense) };
      case OP.inquiry:
        return { data: command[1] === 1 ? vitalProductData() : standardInquiry(PRODUCT_NAME) };
      case OP.receiveDiagnostic:
        return { data: this.#deviceId() };
      case OP.hardwareStatus:
        return { data: this.#hardwareStatus() };
      case OP.setWindow:
        this.#setWindows(data);
        return FINE;
      case OP.objectPosition:
        return this.#position(command.readUInt8(1) & 0x07);
      case OP.scan:
        return this.#scan(data);
      case OP.read:
        return this.#read(command);
      case OP.scannerControl:
        return FINE;
      default:
        return { sense: SENSE.invalidCommand };
    }
  }

  #deviceId(): Buffer {
    const bytes = Buffer.alloc(10);
    bytes.writeUInt32BE(this.#serial, 0);
    return bytes;
  }

  #hardwareStatus(): Buffer {
    const { coverOpen, asleep, scanButton, functionNumber, seesPaper } = this.state;
    const bytes = Buffer.alloc(12);
    const noPaper = this.feeder.isEmpty || !seesPaper;
    bytes.writeUInt8((noPaper ? 0x80 : 0) | (coverOpen ? 0x20 : 0), 3);
    bytes.writeUInt8((asleep ? 0x80 : 0) | (scanButton ? 0x01 : 0), 4);
    bytes.writeUInt8(functionNumber, 5);
    return bytes;
  }

  /** An 8-byte header, then 64 bytes per side. */
  #setWindows(data: Buffer): void {
    this.#windows.clear();
    for (let at = 8; at + 64 <= data.length; at += 64) {
      const composition = COMPOSITIONS[data.readUInt8(at + 0x19)] ?? 'gray';
      this.#windows.set(data.readUInt8(at), {
        dpi: data.readUInt16BE(at + 0x02),
        left: data.readUInt32BE(at + 0x06),
        top: data.readUInt32BE(at + 0x0a),
        width: data.readUInt32BE(at + 0x0e),
        length: data.readUInt32BE(at + 0x12),
        composition,
      });
    }
    this.#sheets = 0;
  }

  /** 1 feeds a sheet, 0 ejects it, 4 ends the scan. */
  #position(action: number): Reply {
    this.#sides.clear();
    if (action !== 1) return FINE;
    if (this.state.coverOpen) return { sense: SENSE.coverOpen };
    if (this.feeder.isEmpty) return { sense: SENSE.empty };
    this.state.asleep = false;
    const atFault = this.#fault?.atSheet === this.#sheets + 1 ? this.#fault.kind : undefined;
    // The sheet stays in the feeder, since it was not scanned.
    if (atFault === 'jam') return { sense: SENSE.jammed };
    if (atFault === 'doubleFeed') return { sense: SENSE.doubleFeed };
    this.#sheet = this.feeder.feed(this.#windows.size > 1);
    this.#sheets += 1;
    this.events.emit('sheet', this.#sheets);
    return FINE;
  }

  async #scan(sides: Buffer): Promise<Reply> {
    const sheet = this.#sheet;
    if (!sheet) return { sense: SENSE.empty };
    for (const side of sides) {
      const window = this.#windows.get(side);
      if (!window) continue;
      const image = await scanPage(side === BACK ? sheet.back : sheet.front, window);
      this.#sides.set(side, { image, composition: window.composition, sent: 0 });
    }
    return FINE;
  }

  async #read(command: Buffer): Promise<Reply> {
    const window = this.#windows.get(command.readUInt8(5));
    if (command[2] === 0x80) {
      const { width, height } = window ? pixelsOf(window) : { width: 0, height: 0 };
      const bytes = Buffer.alloc(32);
      bytes.writeUInt32BE(width, 0);
      bytes.writeUInt32BE(height, 4);
      return { data: bytes };
    }
    const side = this.#sides.get(command.readUInt8(5));
    if (!side) return { sense: SENSE.empty };
    const asked = bytesAskedFor(command);
    const line = bytesPerLine(side.image.width, side.composition);
    const data = side.image.bytes.subarray(side.sent, side.sent + asked - (asked % line));
    side.sent += data.length;
    const isQuarter = side.sent > side.image.bytes.length / 4;
    const fault = this.#fault;
    if (
      isQuarter &&
      command[5] !== BACK &&
      fault?.kind === 'wait' &&
      fault.atSheet === this.#sheets
    ) {
      this.events.emit('waits');
      await beforeAbort(AbortSignal.timeout(WAITING_BLOCK_MS), this.#faultEnds.promise, () => {});
    }
    const isEnd = side.sent >= side.image.bytes.length;
    return isEnd && data.length < asked ? { data, missing: asked - data.length } : { data };
  }
}
