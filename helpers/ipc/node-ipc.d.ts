/** The part of node-ipc 14.0.0 that helpers/ipc/transport.ts uses; the package ships no types of its own. */
declare module 'node-ipc' {
  import type { Server as NetServer, Socket } from 'node:net';

  export interface IpcConfig {
    /** Directory of the socket, ending in `/`; the assured parser makes it 0700 and insists on owning it. */
    socketRoot: string;
    parser: 'assured';
    allowedEvents: readonly string[];
    silent: boolean;
    /** Removes what is at the socket's path before listening, a live server's socket too. */
    unlink: boolean;
    stopRetrying: boolean;
    maxConnections: number;
    maxMessageSize: number;
    /** Milliseconds for which half a message is waited for. */
    messageTimeout: number;
  }

  export interface IpcServer {
    readonly server: NetServer | false;
    on(event: 'error', handler: (error: Error) => void): unknown;
    on(event: 'start', handler: () => void): unknown;
    on(event: 'connect' | 'close', handler: (socket: Socket) => void): unknown;
    on(event: string, handler: (payload: unknown, socket: Socket) => void): unknown;
    /** Throws when the message is too large. */
    emit(socket: Socket, event: string, payload: unknown): boolean;
    /** Throws when the socket's directory is not private to this user. */
    start(): void;
    stop(): void;
  }

  export interface IpcClient {
    on(event: 'error', handler: (error: Error) => void): unknown;
    on(event: 'connect' | 'disconnect' | 'destroy', handler: () => void): unknown;
    on(event: string, handler: (payload: unknown) => void): unknown;
    /** Throws when the message is too large; a message emitted while not connected is lost. */
    emit(event: string, payload: unknown): boolean;
  }

  export class IPCModule {
    readonly config: IpcConfig;
    readonly server: IpcServer | false;
    readonly of: Readonly<Record<string, IpcClient>>;
    serve(path: string): void;
    connectTo(id: string, path: string): void;
    disconnect(id: string): void;
  }
}
