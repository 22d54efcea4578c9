/** The part of uWebSockets.js that is used, as types: the package carries none. The only file that loads the library. */
import { createRequire } from 'node:module'
import { tlsCiphers, type Accept, type Listener, type TlsFiles, type WireRequest, type WireResponse } from './wire.ts'

type UwsListenSocket = object

interface UwsApp {
  any(pattern: string, handler: (res: WireResponse, req: WireRequest) => void): this
  listen(host: string, port: number, options: number, done: (socket: UwsListenSocket | false) => void): this
  close(): this
}

export interface Uws {
  App(): UwsApp
  /** Throws when certificate or key cannot be used. */
  SSLApp(options: { key_file_name: string; cert_file_name: string; ssl_ciphers: string }): UwsApp
  us_listen_socket_close(socket: UwsListenSocket): void
  us_socket_local_port(socket: UwsListenSocket): number
  /** `silent` leaves out the header that names the library and its version. */
  _cfg(key: string): void
  LIBUS_LISTEN_EXCLUSIVE_PORT: number
}

/** Where an administrator puts the library's own binary for a machine that npm has none for, under the name that its author gives it. */
const suppliedIn = '/usr/local/lib/pbxd'

/** Undefined on a machine for which the library was not built. */
export function loadUws(supplied = suppliedIn, require: (name: string) => unknown = createRequire(import.meta.url)): Uws | undefined {
  const file = `${supplied}/uws_${process.platform}_${process.arch}_${process.versions.modules}.node`
  const uws = (found(() => require('@uwsjs/linux-x64-22')) ?? found(() => require(file))) as Uws | undefined
  uws?._cfg('silent')
  return uws
}

function found(load: () => unknown): unknown {
  try {
    return load()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_DLOPEN_FAILED') return undefined
    throw error
  }
}

export interface UwsPlace {
  readonly host: string
  readonly port: number
  readonly tls?: TlsFiles
}

/** Undefined where the port could not be opened: the library does not say why. Throws when certificate or key cannot be used. */
export async function listenUws(uws: Uws, { host, port, tls }: UwsPlace, accept: Accept): Promise<Listener | undefined> {
  const app = tls === undefined ? uws.App() : uws.SSLApp({ key_file_name: tls.key, cert_file_name: tls.cert, ssl_ciphers: tlsCiphers })
  const socket = await new Promise<UwsListenSocket | false>((resolve) => {
    app.listen(host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve)
  })
  if (socket === false) {
    app.close()
    return undefined
  }
  app.any('/*', accept)
  return {
    port: uws.us_socket_local_port(socket),
    stop: () => uws.us_listen_socket_close(socket),
    close: () => void app.close(),
  }
}
