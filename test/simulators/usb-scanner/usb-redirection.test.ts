import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createIppOverUsb } from '../../../simulators/usb-scanner/ipp-over-usb.ts';
import type { Transfer, UsbDevice } from '../../../simulators/usb-scanner/usb-device.ts';
import { createRedirection } from '../../../simulators/usb-scanner/usb-redirection.ts';
import { createVirtualScanner } from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import { within } from '../../support/within.ts';

const test = suite<{ machine: Machine }>('USB redirection');

/** On the loopback interface. */
const ANSWER_MS = 10_000;

const [HELLO, CONNECT, CANCEL, BULK] = [0, 1, 21, 101] as const;
const [SUCCESS, CANCELLED] = [0, 1] as const;
const [IN, OUT] = [0x81, 0x02] as const;

interface Answer {
  readonly type: number;
  readonly id: bigint;
  readonly status: number;
  readonly data: Buffer;
}

/** The part of QEMU: the machine that a device is plugged into. */
class Machine {
  readonly #server: Server;
  readonly #ours: Socket;
  readonly #theirs: Socket;
  #unread = Buffer.alloc(0);

  private constructor(server: Server, ours: Socket, theirs: Socket) {
    [this.#server, this.#ours, this.#theirs] = [server, ours, theirs];
  }

  static async start(): Promise<Machine> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = Object(server.address());
    const accepted = once(server, 'connection');
    const ours = connect(port, '127.0.0.1');
    const [theirs]: Socket[] = await accepted;
    if (!theirs) throw new Error('no connection');
    return new Machine(server, ours, theirs);
  }

  /** Greets, and waits until the device is there. */
  async plugIn(device: UsbDevice): Promise<void> {
    createRedirection(this.#theirs).plugIn(device);
    const body = Buffer.alloc(68);
    const header = Buffer.alloc(12);
    header.writeUInt32LE(HELLO, 0);
    header.writeUInt32LE(body.length, 4);
    this.#ours.write(Buffer.concat([header, body]));
    await this.#bytes(12 + 68);
    let type: number;
    do ({ type } = await this.answer());
    while (type !== CONNECT);
  }

  send(type: number, id: bigint, body = Buffer.alloc(0)): void {
    const header = Buffer.alloc(16);
    header.writeUInt32LE(type, 0);
    header.writeUInt32LE(body.length, 4);
    header.writeBigUInt64LE(id, 8);
    this.#ours.write(Buffer.concat([header, body]));
  }

  bulk(id: bigint, endpoint: number, data: number | Buffer): void {
    const header = Buffer.alloc(10);
    header.writeUInt8(endpoint, 0);
    header.writeUInt16LE(typeof data === 'number' ? data : data.length, 2);
    this.send(BULK, id, typeof data === 'number' ? header : Buffer.concat([header, data]));
  }

  async answer(): Promise<Answer> {
    const header = await this.#bytes(16);
    const body = await this.#bytes(header.readUInt32LE(4));
    return {
      type: header.readUInt32LE(0),
      id: header.readBigUInt64LE(8),
      status: body[1] ?? SUCCESS,
      data: body.subarray(10),
    };
  }

  close(): void {
    for (const one of [this.#ours, this.#theirs]) one.destroy();
    this.#server.close();
  }

  async #bytes(count: number): Promise<Buffer> {
    while (this.#unread.length < count) {
      const [chunk]: Buffer[] = await within(ANSWER_MS, once(this.#ours, 'data'), 'an answer');
      this.#unread = Buffer.concat([this.#unread, chunk ?? Buffer.alloc(0)]);
    }
    const taken = this.#unread.subarray(0, count);
    this.#unread = this.#unread.subarray(count);
    return taken;
  }
}

/** Has one interface, and gives each transfer what the test says. */
function deviceGiving(...given: Promise<Transfer>[]): UsbDevice {
  const names = { manufacturer: 'A', name: 'B', serial: 'C' };
  return {
    identity: { vendor: 1, product: 2, ...names, interfaces: [[255, 0, 0]] },
    write: () => {},
    read: async () => given.shift() ?? 'stall',
    reset: () => {},
  };
}

test.before.each(async (context) => {
  context.machine = await Machine.start();
});
test.after.each(({ machine }) => machine.close());

test('a transfer that is cancelled is answered, once, and its id can be used again', async ({
  machine,
}) => {
  const late = Promise.withResolvers<Transfer>();
  const data = Buffer.from('status');
  await machine.plugIn(deviceGiving(Promise.resolve('never'), late.promise, Promise.resolve(data)));
  for (const id of [7n, 8n]) {
    machine.bulk(id, IN, 13);
    machine.send(CANCEL, id);
    const { id: answered, status } = await machine.answer();
    assert.equal([answered, status], [id, CANCELLED]);
  }
  machine.bulk(7n, IN, 13);
  late.resolve(Buffer.from('too late'));
  const next = await machine.answer();
  assert.equal([next.id, next.status, next.data], [7n, SUCCESS, data]);
});

test('a transfer that is cancelled when it is answered already costs the next one nothing', async ({
  machine,
}) => {
  const data = Buffer.from('status');
  await machine.plugIn(deviceGiving(Promise.resolve(data), Promise.resolve(data)));
  machine.bulk(7n, IN, 13);
  assert.equal((await machine.answer()).data, data);
  machine.send(CANCEL, 7n);
  machine.bulk(7n, IN, 13);
  assert.equal((await machine.answer()).data, data);
});

test('HTTP passes through both interfaces of a device with IPP over USB, each for itself', async ({
  machine,
}) => {
  const scanner = await createVirtualScanner({ name: 'Desk' });
  const device = createIppOverUsb(scanner.port, {
    manufacturer: 'Acme',
    name: 'Desk',
    serial: '1',
  });
  try {
    await machine.plugIn(device);
    for (const number of [1, 0, 1]) {
      machine.bulk(1n, OUT + number, Buffer.from('GET /eSCL/ScannerCapabilities HTTP/1.1\r\n'));
      machine.bulk(2n, OUT + number, Buffer.from('Host: localhost\r\n\r\n'));
      assert.equal([(await machine.answer()).id, (await machine.answer()).id], [1n, 2n]);
      let text = '';
      while (!text.includes('</scan:ScannerCapabilities>')) {
        machine.bulk(3n, IN + number, 512);
        const { data } = await machine.answer();
        assert.ok(data.length <= 512);
        text += data.toString();
      }
      assert.match(text, /^HTTP\/1\.1 200 OK\r\n/u);
      assert.match(text, 'Desk');
    }
  } finally {
    device.close();
    await scanner.close();
  }
});

test.run();
