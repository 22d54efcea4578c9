/** A server on node:net or node:tls: the web port, or the technician's socket. */
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo, type ListenOptions, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:tls'
import { systemClock, type Clock, type Timer } from '../base/clock.ts'
import { addressBytes, addressKey, addressText } from './address.ts'
import { Connection, type Served } from './connection.ts'
import type { Accept, Listener, TlsFiles } from './wire.ts'

export interface Place extends Pick<ListenOptions, 'host' | 'port' | 'path'> {
  readonly tls?: TlsFiles
}

/** Of the web port; of a socket, whose paths may have hundreds of words in them. */
const mostHeadBytes = { web: 8 * 1024, socket: 64 * 1024 }
/** Further ones are closed at once. */
const mostConnections = 8_000
/** Of one address, or of a network of IPv6 as it is counted for failures. */
const mostOfAddress = 2_000
/** Of TLS 1.2: forward secrecy and authenticated encryption only. Those of TLS 1.3 have both. */
const ciphers = 'ECDHE+AESGCM:ECDHE+CHACHA20'

/** Throws when certificate or key cannot be used; rejects with the system's error when the port cannot be opened. */
export async function openListener({ tls, ...place }: Place, accept: Accept, clock: Clock = systemClock): Promise<Listener> {
  const served: Served = {
    accept,
    secure: tls !== undefined,
    mostHeadBytes: place.path === undefined ? mostHeadBytes.web : mostHeadBytes.socket,
    seconds: 0,
    stopping: false,
  }
  const connections = new Connections(served, clock)
  const server = create(tls, connections)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(place, resolve))
  // One that could not be taken: it is gone.
  server.on('error', () => undefined)
  const address = server.address() as AddressInfo | string | null
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    reload: () => {
      if (tls !== undefined) (server as SecureServer).setSecureContext(secureContext(tls))
    },
    stop: () => {
      server.close()
      connections.stop()
    },
    close: () => connections.close(),
  }
}

function create(tls: TlsFiles | undefined, connections: Connections): Server {
  const options = { allowHalfOpen: true, noDelay: true }
  if (tls === undefined) {
    return createServer({ ...options, pauseOnConnect: true }, (accepted) => connections.open(accepted))
  }
  const secure = { ...options, ...secureContext(tls), ALPNProtocols: ['http/1.1'], handshakeTimeout: 15_000 }
  const server = createSecureServer(secure, (socket) => connections.serve(socket))
  server.on('connection', (socket: Socket) => connections.beginTls(socket))
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return server
}

function secureContext({ key, cert }: TlsFiles) {
  return { key: readFileSync(key), cert: readFileSync(cert), ciphers, minVersion: 'TLSv1.2' } as const
}

function addressOf({ remoteAddress = '' }: Socket): string {
  return addressText(new Uint8Array(addressBytes(remoteAddress)))
}

class Connections {
  readonly #served: Served
  readonly #clock: Clock
  /** As the system gives them, with those that have not finished their handshake. */
  readonly #sockets = new Set<Socket>()
  readonly #connections = new Set<Connection>()
  readonly #ofAddress = new Map<string, number>()
  #timer: Timer | undefined

  constructor(served: Served, clock: Clock) {
    this.#served = served
    this.#clock = clock
  }

  /** One without TLS. */
  open(accepted: Socket): void {
    const key = this.#admit(accepted)
    if (key !== undefined) this.#count(this.serve(accepted), key)
  }

  /** It is served when its handshake is done. */
  beginTls(socket: Socket): void {
    const key = this.#admit(socket)
    if (key !== undefined) this.#count(socket, key)
  }

  /** What its address is counted by; undefined where there are too many of it, or of all: it is closed. */
  #admit(socket: Socket): string | undefined {
    const key = addressKey(addressOf(socket))
    const tooMany = this.#sockets.size >= mostConnections || (key !== '' && (this.#ofAddress.get(key) ?? 0) >= mostOfAddress)
    if (!tooMany) return key
    socket.destroy()
    return undefined
  }

  #count(socket: Socket, key: string): void {
    this.#ofAddress.set(key, (this.#ofAddress.get(key) ?? 0) + 1)
    this.#sockets.add(socket)
    socket.once('close', () => this.#left(socket, key))
  }

  #left(socket: Socket, key: string): void {
    this.#sockets.delete(socket)
    const count = (this.#ofAddress.get(key) ?? 1) - 1
    if (count === 0) this.#ofAddress.delete(key)
    else this.#ofAddress.set(key, count)
  }

  /** The socket of its connection from now on. */
  serve(socket: Socket): Socket {
    const connection = new Connection(socket, addressOf(socket), this.#served)
    this.#connections.add(connection)
    connection.socket.once('close', () => this.#connections.delete(connection))
    this.#timer ??= this.#clock.after(1000, () => this.#look())
    return connection.socket
  }

  #look(): void {
    this.#served.seconds += 1
    for (const connection of this.#connections) connection.look()
    this.#timer = this.#connections.size === 0 ? undefined : this.#clock.after(1000, () => this.#look())
  }

  stop(): void {
    this.#served.stopping = true
    for (const connection of this.#connections) connection.stop()
  }

  close(): void {
    this.#timer?.cancel()
    for (const socket of this.#sockets) socket.destroy()
  }
}
