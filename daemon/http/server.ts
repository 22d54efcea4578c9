/** The web port. All about requests is in pipeline.ts. */
import type { Trail } from '../audit/trail.ts'
import { systemClock, type Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import { networksOf } from './address.ts'
import type { AccessToken } from './auth.ts'
import { WebGate } from './gate.ts'
import { openListener } from './listener.ts'
import { Pipeline, type HttpLimits } from './pipeline.ts'
import type { PeopleDoor } from './people.ts'
import type { Route } from './route.ts'
import type { SignatureOptions } from './signature.ts'
import type { Accept, Listener, TlsFiles } from './wire.ts'

export interface HttpOptions {
  /** `host:port`, IPv6 hosts in brackets; port 0 lets the system choose. */
  readonly listen: string
  readonly tls?: TlsFiles
  readonly routes: readonly Route[]
  readonly tokens: () => Iterable<AccessToken>
  readonly tokenUsed?: (name: string, address: string) => void
  /** Of the CRM; without it no signature is taken. */
  readonly signature?: SignatureOptions
  /** Addresses and networks of proxies that say whose request they pass on. */
  readonly trustedProxies?: readonly string[]
  /** Where sessions of people are known; without it there are none. */
  readonly people?: PeopleDoor
  /** Names of this box, of which the header Host has to be one where no token is needed; without it any is. */
  readonly names?: ReadonlySet<string>
  readonly limits: HttpLimits
  readonly store?: Store
  readonly trail?: Trail
  readonly log: Log
  readonly clock?: Clock
}

export interface HttpServer {
  readonly address: string
  readonly port: number
  /** Reads certificate and key again; connections that are open go on. Throws where they cannot be used: the former ones stay. */
  reload(): void
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
  const { host, port } = splitListen(options.listen)
  const clock = options.clock ?? systemClock
  const gate = new WebGate({ ...options, clock })
  const door = { secure: options.tls !== undefined, proxies: networksOf(options.trustedProxies ?? []) }
  const pipeline = new Pipeline({ ...options, gate, clock, door })
  let listener: Listener
  try {
    listener = await open(options, host, port, (res, req) => pipeline.accept(res, req))
  } catch (error) {
    gate.close()
    await pipeline.stop()
    throw error
  }
  let closing: Promise<void> | undefined
  const close = async (drainMs: number): Promise<void> => {
    listener.stop()
    await pipeline.stop(drainMs)
    listener.close()
    gate.close()
  }
  return {
    address: host,
    port: listener.port,
    reload: () => listener.reload(),
    counts: () => pipeline.counts(),
    sweep: () => pipeline.sweep(),
    close: (drainMs = 5_000) => (closing ??= close(drainMs)),
  }
}

async function open({ listen, tls }: HttpOptions, host: string, port: number, accept: Accept): Promise<Listener> {
  try {
    return await openListener({ host, port, ...(tls === undefined ? {} : { tls }) }, accept)
  } catch (cause) {
    const { syscall } = cause as NodeJS.ErrnoException
    if (syscall !== undefined && syscall !== 'open') throw whyNot(cause, host, listen)
    if (tls === undefined) throw cause
    throw new ListenError('bad_certificate', listen, `The certificate ${tls.cert} or its key ${tls.key} cannot be used.`, cause)
  }
}

function splitListen(listen: string): { host: string; port: number } {
  const parts = /^(?:\[([0-9a-fA-F:.]+)\]|([^:]*)):(\d{1,5})$/.exec(listen)
  const port = Number(parts?.[3])
  if (parts === null || port > 65_535)
    throw new ListenError('other', listen, `"${listen}" is not an address and port, such as 127.0.0.1:8080.`)
  return { host: parts[1] ?? parts[2] ?? '', port }
}

function whyNot(cause: unknown, host: string, listen: string): ListenError {
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
