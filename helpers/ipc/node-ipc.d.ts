/** The part of node-ipc 14.0.0 that transport.ts uses. The package has no types. */
declare module 'node-ipc' {
  import type { Server as NetServer, Socket } from 'node:net';

  export interface IpcConfig {
    /** Must end in `/` and belong to the user; node-ipc sets its mode to 0700. */
    socketRoot: string;
    parser: 'assured';
    allowedEvents: readonly string[];
    silent: boolean;
    /** Removes any socket at the path before listening, even that of a live server. */
    unlink: boolean;
    stopRetrying: boolean;
    maxConnections: number;
    maxMessageSize: number;
    messageTimeout: number;
  }

  export interface IpcServer {
    readonly server: NetServer | false;
    on(event: 'error', handler: (error: Error) => void): unknown;
    on(event: 'start', handler: () => void): unknown;
    on(event: 'connect' | 'close', handler: (socket: Socket) => void): unknown;
    on(event: string, handler: (payload: unknown, socket: Socket) => void): unknown;
    /** Throws if the message is too large. */
    emit(socket: Socket, event: string, payload: unknown): boolean;
    /** Throws if other users can access the socket's directory. */
    start(): void;
    stop(): void;
  }

  export interface IpcClient {
    on(event: 'error', handler: (error: Error) => void): unknown;
    on(event: 'connect' | 'disconnect' | 'destroy', handler: () => void): unknown;
    on(event: string, handler: (payload: unknown) => void): unknown;
    /** Throws if the message is too large. While disconnected, messages are lost. */
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
