import type { Socket } from 'node:net';
import {
  answerSetup,
  BULK_IN,
  BULK_OUT,
  BULK_PACKET_BYTES,
  type UsbDevice,
  type UsbIdentity,
} from './usb-device.ts';

/**
 * The device's side of QEMU's `usb-redir` protocol, which attaches a remote device (usbredir 0.7,
 * docs/usb-redirection-protocol.md). Numbers are little-endian.
 */
export interface Redirection {
  plugIn(device: UsbDevice): void;
  /** Resolves when the machine has released the device. */
  unplug(): Promise<void>;
}

const TYPE = {
  hello: 0,
  deviceConnect: 1,
  deviceDisconnect: 2,
  reset: 3,
  interfaceInfo: 4,
  endpointInfo: 5,
  setConfiguration: 6,
  getConfiguration: 7,
  configurationStatus: 8,
  setAltSetting: 9,
  getAltSetting: 10,
  altSettingStatus: 11,
  cancelData: 21,
  deviceDisconnectAck: 24,
  control: 100,
  bulk: 101,
} as const;

const STATUS = { success: 0, cancelled: 1, stall: 4 } as const;

/** Device version, disconnect acknowledgement, endpoint packet sizes, 64-bit ids, 32-bit sizes. */
const CAPABILITIES = (1 << 1) | (1 << 3) | (1 << 4) | (1 << 5) | (1 << 6);

const HIGH_SPEED = 2;
/** Endpoint slots: 16 out, then 16 in. Also the number of interface slots. */
const PLACES = 32;
const NO_ENDPOINT = 255;
const CONTROL_TYPE = 0;
const CONTROL_PACKET_BYTES = 64;
const BULK_TYPE = 2;

/** Ids have 32 bits until both sides have sent hello. */
const SHORT_HEADER = 12;
const HEADER = 16;
const CONTROL_HEADER = 10;
const BULK_HEADER = 10;

interface Message {
  readonly type: number;
  readonly id: bigint;
  readonly body: Buffer;
}

export function createRedirection(socket: Socket): Redirection {
  /** Transfers that QEMU waits for. Their ids are reused. */
  const awaited = new Map<bigint, Buffer>();
  const greeted = Promise.withResolvers<void>();
  let device: UsbDevice | undefined;
  let unplugged: PromiseWithResolvers<void> | undefined;
  let isGreeted = false;
  let unread = Buffer.alloc(0);

  function send(type: number, id: bigint, ...parts: Buffer[]): void {
    const header = Buffer.alloc(type === TYPE.hello ? SHORT_HEADER : HEADER);
    header.writeUInt32LE(type, 0);
    header.writeUInt32LE(
      parts.reduce((sum, { length }) => sum + length, 0),
      4,
    );
    if (type !== TYPE.hello) header.writeBigUInt64LE(id, 8);
    socket.write(Buffer.concat([header, ...parts]));
  }

  function take(): Message | undefined {
    const length = isGreeted ? HEADER : SHORT_HEADER;
    if (unread.length < length) return undefined;
    const end = length + unread.readUInt32LE(4);
    if (unread.length < end) return undefined;
    const id = isGreeted ? unread.readBigUInt64LE(8) : BigInt(unread.readUInt32LE(8));
    const message = { type: unread.readUInt32LE(0), id, body: unread.subarray(length, end) };
    unread = unread.subarray(end);
    return message;
  }

  async function answerBulk(id: bigint, header: Buffer, data: Buffer): Promise<void> {
    const asked = header.readUInt16LE(2) | (header.readUInt16LE(8) << 16);
    const endpoint = header.readUInt8(0);
    if (endpoint < BULK_IN) {
      device?.write(Buffer.from(data), endpoint - BULK_OUT);
      sendBulk(id, header, { status: STATUS.success, length: asked });
      return;
    }
    awaited.set(id, header);
    const transfer = await device?.read(asked, endpoint - BULK_IN);
    // A cancelled transfer has already been answered, and its id may belong to another one.
    if (transfer === undefined || awaited.get(id) !== header) return;
    awaited.delete(id);
    if (transfer === 'stall') sendBulk(id, header, { status: STATUS.stall, length: 0 });
    else sendBulk(id, header, { status: STATUS.success, length: transfer.length }, transfer);
  }

  /** QEMU waits for the response to a cancelled transfer, then drops the next one with its id. */
  function cancel(id: bigint): void {
    const header = awaited.get(id);
    if (header) sendBulk(id, header, { status: STATUS.cancelled, length: 0 });
    awaited.delete(id);
  }

  function sendBulk(
    id: bigint,
    header: Buffer,
    { status, length }: { readonly status: number; readonly length: number },
    ...data: Buffer[]
  ): void {
    const answer = Buffer.from(header);
    answer.writeUInt8(status, 1);
    answer.writeUInt16LE(length & 0xffff, 2);
    answer.writeUInt16LE(length >>> 16, 8);
    send(TYPE.bulk, id, answer, ...data);
  }

  function answerControl(id: bigint, header: Buffer): void {
    if (!device) return;
    const transfer = answerSetup(device.identity, {
      request: header.readUInt8(1),
      requestType: header.readUInt8(2),
      value: header.readUInt16LE(4),
      length: header.readUInt16LE(8),
    });
    const answer = Buffer.from(header);
    const data = transfer === 'stall' ? Buffer.alloc(0) : transfer;
    answer.writeUInt8(transfer === 'stall' ? STATUS.stall : STATUS.success, 3);
    answer.writeUInt16LE(data.length, 8);
    send(TYPE.control, id, answer, data);
  }

  async function announce({ identity }: UsbDevice): Promise<void> {
    await greeted.promise;
    send(TYPE.interfaceInfo, 0n, interfaceInfo(identity));
    send(TYPE.endpointInfo, 0n, endpointInfo(identity));
    send(TYPE.deviceConnect, 0n, deviceConnect(identity));
  }

  function handle({ type, id, body }: Message): void {
    switch (type) {
      case TYPE.hello:
        isGreeted = true;
        greeted.resolve();
        return;
      case TYPE.reset:
        device?.reset();
        return;
      case TYPE.setConfiguration:
      case TYPE.getConfiguration:
        send(TYPE.configurationStatus, id, Buffer.from([STATUS.success, 1]));
        return;
      case TYPE.setAltSetting:
      case TYPE.getAltSetting:
        send(TYPE.altSettingStatus, id, Buffer.from([STATUS.success, body.readUInt8(0), 0]));
        return;
      case TYPE.cancelData:
        cancel(id);
        return;
      case TYPE.deviceDisconnectAck:
        unplugged?.resolve();
        return;
      case TYPE.control:
        answerControl(id, body.subarray(0, CONTROL_HEADER));
        return;
      case TYPE.bulk:
        void answerBulk(id, Buffer.from(body.subarray(0, BULK_HEADER)), body.subarray(BULK_HEADER));
        return;
      default:
    }
  }

  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    for (let message = take(); message; message = take()) handle(message);
  });
  socket.on('error', () => {});
  send(TYPE.hello, 0n, hello());

  return {
    plugIn: (plugged) => {
      device = plugged;
      void announce(plugged);
    },
    unplug: async () => {
      unplugged = Promise.withResolvers();
      device?.reset();
      device = undefined;
      awaited.clear();
      send(TYPE.deviceDisconnect, 0n);
      await unplugged.promise;
    },
  };
}

function hello(): Buffer {
  const body = Buffer.alloc(68);
  body.write('scan-service usb-scanner', 0, 'latin1');
  body.writeUInt32LE(CAPABILITIES, 64);
  return body;
}

function interfaceInfo({ interfaces }: UsbIdentity): Buffer {
  const body = Buffer.alloc(4 + 4 * PLACES);
  body.writeUInt32LE(interfaces.length, 0);
  for (const [number, kind] of interfaces.entries()) {
    body.writeUInt8(number, 4 + number);
    for (const [index, value] of kind.entries()) {
      body.writeUInt8(value, 4 + (index + 1) * PLACES + number);
    }
  }
  return body;
}

function endpointInfo({ interfaces }: UsbIdentity): Buffer {
  const types = Buffer.alloc(PLACES, NO_ENDPOINT);
  const intervals = Buffer.alloc(PLACES);
  const owners = Buffer.alloc(PLACES);
  const sizes = Buffer.alloc(2 * PLACES);
  const add = (place: number, type: number, bytes: number, owner: number): void => {
    types.writeUInt8(type, place);
    owners.writeUInt8(owner, place);
    sizes.writeUInt16LE(bytes, 2 * place);
  };
  add(0, CONTROL_TYPE, CONTROL_PACKET_BYTES, 0);
  add(16, CONTROL_TYPE, CONTROL_PACKET_BYTES, 0);
  for (const number of interfaces.keys()) {
    add(BULK_OUT + number, BULK_TYPE, BULK_PACKET_BYTES, number);
    add(16 + (BULK_IN & 0x0f) + number, BULK_TYPE, BULK_PACKET_BYTES, number);
  }
  return Buffer.concat([types, intervals, owners, sizes]);
}

function deviceConnect({ vendor, product }: UsbIdentity): Buffer {
  const body = Buffer.alloc(10);
  body.writeUInt8(HIGH_SPEED, 0);
  body.writeUInt16LE(vendor, 4);
  body.writeUInt16LE(product, 6);
  body.writeUInt16LE(0x0100, 8);
  return body;
}
