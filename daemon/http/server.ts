/** The web port: the only file that loads uWebSockets.js. Everything about requests is in pipeline.ts. */
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import type { Trail } from '../audit/trail.ts'
import { systemClock, type Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import type { AccessToken } from './auth.ts'
import { Pipeline, type HttpLimits } from './pipeline.ts'
import type { Route } from './route.ts'
import type { Uws, UwsApp, UwsListenSocket } from './uws.ts'

export interface HttpOptions {
  /** `host:port`, IPv6 hosts in brackets; port 0 lets the system choose. */
  readonly listen: string
  /** Names of PEM files. */
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly routes: readonly Route[]
  readonly tokens: () => Iterable<AccessToken>
  readonly tokenUsed?: (name: string, address: string) => void
  readonly limits: HttpLimits
  readonly store?: Store
  readonly trail?: Trail
  readonly log: Log
  readonly clock?: Clock
}

export interface HttpServer {
  readonly address: string
  readonly port: number
  /** Requests by operation and status since the start. */
  counts(): Iterable<{ operation: string; status: number; count: number }>
  /** Removes answers to requests that are kept no longer; how many. */
  sweep(): Promise<number>
  /** Takes no more connections, lets requests in progress end for at most `drainMs` (5 s), then closes. */
  close(drainMs?: number): Promise<void>
}

/** The web port could not be opened. */
export class ListenError extends Error {
  readonly reason: 'in_use' | 'not_permitted' | 'no_such_address' | 'bad_certificate' | 'other'
  readonly listen: string

  constructor(reason: ListenError['reason'], listen: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ListenError'
    this.reason = reason
    this.listen = listen
  }
}

/** Rejects with ListenError. */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const uws = createRequire(import.meta.url)('@uwsjs/linux-x64-22') as Uws
  uws._cfg('silent')
  const { host, port } = splitListen(options.listen)
  const app = createApp(uws, options)
  const socket = await new Promise<UwsListenSocket | false>((resolve) => {
    app.listen(host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve)
  })
  if (socket === false) {
    app.close()
    throw await whyNot(host, port, options.listen)
  }
  const pipeline = new Pipeline({ ...options, clock: options.clock ?? systemClock, secure: options.tls !== undefined })
  app.any('/*', (res, req) => {
    pipeline.accept(res, req)
  })
  let closing: Promise<void> | undefined
  const close = async (drainMs: number): Promise<void> => {
    uws.us_listen_socket_close(socket)
    let timer: NodeJS.Timeout | undefined
    const deadline = new Promise<void>((resolve) => (timer = setTimeout(resolve, drainMs)))
    await Promise.race([pipeline.idle(), deadline])
    clearTimeout(timer)
    pipeline.stop()
    app.close()
  }
  return {
    address: host,
    port: uws.us_socket_local_port(socket),
    counts: () => pipeline.counts(),
    sweep: () => pipeline.sweep(),
    close: (drainMs = 5_000) => (closing ??= close(drainMs)),
  }
}

/** Of TLS 1.2: forward secrecy and authenticated encryption only. Those of TLS 1.3 have both. */
const ciphers = 'ECDHE+AESGCM:ECDHE+CHACHA20'

function createApp(uws: Uws, options: HttpOptions): UwsApp {
  const { tls } = options
  if (tls === undefined) return uws.App()
  try {
    return uws.SSLApp({ key_file_name: tls.key, cert_file_name: tls.cert, ssl_ciphers: ciphers })
  } catch (cause) {
    throw new ListenError('bad_certificate', options.listen, `The certificate ${tls.cert} or its key ${tls.key} cannot be used.`, cause)
  }
}

function splitListen(listen: string): { host: string; port: number } {
  const parts = /^(?:\[([0-9a-fA-F:.]+)\]|([^:]*)):(\d{1,5})$/.exec(listen)
  const port = Number(parts?.[3])
  if (parts === null || port > 65_535)
    throw new ListenError('other', listen, `"${listen}" is not an address and port, such as 127.0.0.1:8080.`)
  return { host: parts[1] ?? parts[2] ?? '', port }
}

/** The library does not say why it could not listen; the system does when it is asked the same again. */
async function whyNot(host: string, port: number, listen: string): Promise<ListenError> {
  const probe = createServer()
  try {
    probe.listen(port, host)
    await once(probe, 'listening')
    probe.close()
    return new ListenError('other', listen, `The web port cannot be opened on ${listen}.`)
  } catch (cause) {
    switch ((cause as NodeJS.ErrnoException).code) {
      case 'EADDRINUSE':
        return new ListenError('in_use', listen, `The web port ${listen} is used by another program.`, cause)
      case 'EACCES':
        return new ListenError('not_permitted', listen, `The web port ${listen} needs more rights than this program has.`, cause)
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return new ListenError('no_such_address', listen, `This machine has no address ${host}.`, cause)
      default:
        return new ListenError('other', listen, `The web port cannot be opened on ${listen}.`, cause)
    }
  }
}
