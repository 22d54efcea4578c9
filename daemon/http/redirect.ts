/**
 * Plain http next to a web port with TLS: people type `http://BOX/`. It answers where the pages are, and the certificate of the box's
 * authority, which a browser cannot fetch before it trusts it; nothing else is served or read.
 */
import type { Clock, Timer } from '../base/clock.ts'
import { ApiError, systemWords } from '../base/errors.ts'
import type { Health } from '../base/health.ts'
import { newRequestId } from '../base/ids.ts'
import { parseListen } from '../schema/config/forms.ts'
import { errorAnswer } from './answer.ts'
import { isOurs } from './hosts.ts'
import { openListener } from './listener.ts'
import type { Accept, Listener, TlsFiles, WireRequest } from './wire.ts'
import { isIPv6 } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

/** Where people reach the web port: on the sheet, in invitations, and where plain http leads. */
export interface WebPort {
  readonly listen: string
  readonly tls?: unknown
  readonly names?: readonly string[]
}

/** By the first of its names, or by the address that it listens on, such as https://192.168.1.20:8443. */
export function webAddress({ listen, tls, names = [] }: WebPort): string {
  const { host, port } = parseListen(listen) ?? { host: 'localhost', port: 0 }
  return urlOf(names[0] ?? (isEvery(host) ? ownAddress() : host), port, tls !== undefined)
}

/** Without the port where it is the usual one. */
function urlOf(host: string, port: number, secure: boolean): string {
  const usual = port === (secure ? 443 : 80)
  return `${secure ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}${usual ? '' : `:${port}`}`
}

const isEvery = (host: string): boolean => host === '0.0.0.0' || host === '::'

/** An address leads to the box wherever no DNS knows its name. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((list = []) => list)
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? hostname()
}

export interface RedirectOptions {
  /** Of the configuration. */
  readonly http: { readonly listen: string; readonly tls?: TlsFiles; readonly redirect?: string }
  /** Names of this box. */
  readonly names: ReadonlySet<string>
  /** In PEM; null where the box has none. */
  readonly authority: () => string | null
  /** Of the web port, once it is open. */
  readonly port: () => number
  readonly health: Pick<Health, 'warn' | 'clear'>
  readonly clock: Clock
}

const plainPort = 80
const againMs = 60_000
const code = 'http-redirect'

/** `host:port`; null for nowhere. */
export function redirectListen({ listen, tls, redirect }: RedirectOptions['http']): string | null {
  if (tls === undefined || redirect === 'off') return null
  const host = parseListen(listen)?.host ?? ''
  return redirect ?? `${host.includes(':') ? `[${host}]` : host}:${plainPort}`
}

/** A port that cannot be had is a warning, and is tried again. */
export class Redirect {
  readonly #options: RedirectOptions
  #listener: Listener | null = null
  #timer: Timer | null = null
  #stopped = false

  constructor(options: RedirectOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { http, health, clock } = this.#options
    const listen = redirectListen(http)
    const place = listen === null ? undefined : parseListen(listen)
    if (listen === null || place === undefined) return
    try {
      const listener = await openListener(place, acceptor(this.#options, place.host), clock)
      this.#listener = listener
      health.clear(code)
      if (this.#stopped) listener.close()
    } catch (error) {
      const text = `Plain http is not led to https: ${listen} cannot be opened (${systemWords(error)})`
      const fix = `stop the program that uses it (ss -ltnp 'sport = :${place.port}'), or write http.redirect: off`
      health.warn(code, { severity: 'notice', text, fix })
      if (!this.#stopped) this.#timer = clock.after(againMs, () => void this.start())
    }
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#listener?.stop()
    this.#listener?.close()
  }
}

function acceptor({ names, authority, port }: RedirectOptions, listens: string): Accept {
  return (res, req) => {
    const host = req.headers.get('host')
    if (!isOurs(host, names)) {
      const requestId = newRequestId()
      const error = new ApiError('host_unknown', 'The box does not use this host name; add it to http.names in the configuration.')
      res.writeStatus('421 Misdirected Request')
      res.writeHeader('Content-Type', 'application/json')
      res.writeHeader('X-Request-Id', requestId)
      return res.end(errorAnswer(error, requestId, false).body ?? '', true)
    }
    const pem = req.path === authorityPath && ['GET', 'HEAD'].includes(req.method) ? authority() : null
    if (pem !== null) {
      res.writeStatus('200 OK')
      for (const [name, value] of Object.entries(authorityHeaders)) res.writeHeader(name, value)
      return req.method === 'HEAD' ? res.endWithoutBody(Buffer.byteLength(pem)) : res.end(pem, true)
    }
    res.writeStatus('308 Permanent Redirect')
    // A browser that kept it would not find the box at another port.
    res.writeHeader('Cache-Control', 'no-store')
    res.writeHeader('Location', `${urlOf(hostIn(host) ?? listens, port(), true)}${targetOf(req)}`)
    res.end('', true)
  }
}

export const authorityPath = '/authority.crt'
/** RFC 8555 names no type for a certificate alone; every browser and telephone takes this one. */
export const authorityHeaders = {
  'Content-Type': 'application/x-x509-ca-cert',
  'Content-Disposition': 'attachment; filename="authority.crt"',
  'Cache-Control': 'no-cache',
}

function hostIn(header: string | undefined): string | undefined {
  const [, inBrackets, plain] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::\d*)?$/i.exec(header?.trim() ?? '') ?? []
  return inBrackets ?? plain
}

function targetOf({ path, query }: WireRequest): string {
  const target = path.startsWith('/') ? `${path}${query === '' ? '' : `?${query}`}` : '/'
  return target.replaceAll(/[^\x21-\x7e]/g, encodeURIComponent)
}
