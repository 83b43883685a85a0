/** USB 2.0, 9.3. */
export interface Setup {
  readonly requestType: number;
  readonly request: number;
  readonly value: number;
  readonly length: number;
}

export type Transfer = Buffer | 'stall';

/** A USB device with two bulk endpoints per interface, as seen by its host. */
export interface UsbDevice {
  readonly identity: UsbIdentity;
  /** Receives data from the host for an interface. */
  write(data: Buffer, number: number): void;
  /** The next transfer to the host, of at most `length` bytes. */
  read(length: number, number: number): Promise<Transfer>;
  /** The host has reset or released the device. */
  reset(): void;
}

export interface UsbIdentity {
  readonly vendor: number;
  readonly product: number;
  readonly manufacturer: string;
  readonly name: string;
  readonly serial: string;
  /** Class, subclass and protocol of each interface. */
  readonly interfaces: readonly (readonly [number, number, number])[];
}

/** Endpoints of the first interface. Those of further interfaces follow. */
export const BULK_IN = 0x81;
export const BULK_OUT = 0x02;

/** At high speed (USB 2.0). */
export const BULK_PACKET_BYTES = 512;

export const VENDOR_SPECIFIC = 0xff;

const GET_DESCRIPTOR = 6;
const GET_STATUS = 0;
const CLEAR_FEATURE = 1;
const DEVICE_DESCRIPTOR = 1;
const CONFIGURATION_DESCRIPTOR = 2;
const STRING_DESCRIPTOR = 3;
const ENGLISH = 0x0409;

/** Answers standard requests (USB 2.0, 9.4). */
export function answerSetup(identity: UsbIdentity, setup: Setup): Buffer | 'stall' {
  const { requestType, request, value, length } = setup;
  const isStandard = (requestType & 0x60) === 0;
  if (!isStandard) return 'stall';
  if (request === GET_STATUS) return Buffer.alloc(2);
  if (request === CLEAR_FEATURE) return Buffer.alloc(0);
  if (request !== GET_DESCRIPTOR) return 'stall';
  return descriptor(identity, value >> 8, value & 0xff)?.subarray(0, length) ?? 'stall';
}

function descriptor(identity: UsbIdentity, type: number, index: number): Buffer | undefined {
  if (type === DEVICE_DESCRIPTOR) return deviceDescriptor(identity);
  if (type === CONFIGURATION_DESCRIPTOR) return configuration(identity);
  if (type !== STRING_DESCRIPTOR) return undefined;
  if (index === 0) return Buffer.from([4, STRING_DESCRIPTOR, ENGLISH & 0xff, ENGLISH >> 8]);
  const text = [identity.manufacturer, identity.name, identity.serial][index - 1];
  if (text === undefined) return undefined;
  const letters = Buffer.from(text, 'utf16le');
  return Buffer.concat([Buffer.from([letters.length + 2, STRING_DESCRIPTOR]), letters]);
}

function deviceDescriptor({ vendor, product }: UsbIdentity): Buffer {
  // The interfaces give the class.
  const bytes = Buffer.from([
    18,
    DEVICE_DESCRIPTOR,
    0,
    2,
    0,
    0,
    0,
    64,
    0,
    0,
    0,
    0,
    0,
    1,
    1,
    2,
    3,
    1,
  ]);
  bytes.writeUInt16LE(vendor, 8);
  bytes.writeUInt16LE(product, 10);
  return bytes;
}

/** The only configuration. The device is self-powered. */
function configuration({ interfaces }: UsbIdentity): Buffer {
  const [low, high] = [BULK_PACKET_BYTES & 0xff, BULK_PACKET_BYTES >> 8];
  const described = interfaces.flatMap((kind, number) => [
    Buffer.from([9, 4, number, 0, 2, ...kind, 0]),
    Buffer.from([7, 5, BULK_IN + number, 2, low, high, 0]),
    Buffer.from([7, 5, BULK_OUT + number, 2, low, high, 0]),
  ]);
  const length = 9 + described.reduce((sum, part) => sum + part.length, 0);
  const head = [9, CONFIGURATION_DESCRIPTOR, length, 0, interfaces.length, 1, 0, 0xc0, 0];
  return Buffer.concat([Buffer.from(head), ...described]);
}
