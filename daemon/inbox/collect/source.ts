/** The web port of another box of this house, or of a site, as a program of ours reads it. */
import { createWriteStream, readFileSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { timeLimit } from '../../base/clock.ts'
import { Agent, request } from '../../base/http-client.ts'
import { idPattern } from '../../base/ids.ts'
import type { Config } from '../../schema/config.ts'
import type { CollectedBoxConfig } from '../../schema/config/collect.ts'
import { isSiteTrunk, siteIdOf, siteTrunk } from '../../schema/config/sites.ts'
import type { CollectedRow, InboxMediaRow } from '../../store/tables.ts'

export type Answered =
  | { readonly kind: 'page'; readonly items: readonly CollectedRow['item'][]; readonly whole: boolean; readonly nextSince: number }
  /** It is longer than this box reads at once. */
  | { readonly kind: 'long' }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }
  /** `reason`: a code of the system, or a few words of ours. */
  | { readonly kind: 'away'; readonly reason: string }

export interface Fetched {
  readonly status: number
  readonly type: string
  readonly etag: string
  /** What it says where the status is another one than 200. */
  readonly text: string
}

export interface SourceLimits {
  readonly connectMs?: number
  readonly maxResponseSize?: number
}

export interface Opened {
  readonly status: number
  /** Up to where its live stream was; '' where it does not say. */
  readonly liveId: string
  readonly body: AsyncIterable<Uint8Array> & { text(): Promise<string> }
}

const mostBytes = 1024 * 1024
const usualConnectMs = 4000
const pageMs = 20_000
const fileMs = 120_000

/** What the configuration collects. */
export function sourcesOf({ collect, sites }: Config): Source[] {
  const named = collect.from.flatMap((id) => sites.filter((site) => site.id === id))
  return [...collect.boxes.map((one) => new Source(one)), ...named.map((site) => sourceOfSite(site))]
}

/** `limits`: where they are not those of the collector. */
export function sourceOfSite({ id, api = '', token, caFile: ca }: Config['sites'][number], limits: SourceLimits = {}): Source {
  return new Source({ ...{ id: siteTrunk(id), api, token }, ...(ca === undefined ? {} : { ca }) }, limits)
}

/** Where an item was received, as programs read it. */
export const receivedAt = (id: string): { readonly box?: string; readonly site?: string } =>
  isSiteTrunk(id) ? { site: siteIdOf(id) } : { box: id }

/** As a person reads it at the beginning of a sentence. */
export const nameOf = (id: string): string => (isSiteTrunk(id) ? `Site ${siteIdOf(id)}` : `Box ${id}`)

export class Source {
  /** Its box.id; of a site `site:` and the id of that. */
  readonly id: string
  readonly #api: string
  readonly #token: string
  readonly #ca: string | undefined
  readonly #limits: SourceLimits
  #agent: Agent | null = null

  constructor({ id, api, token, ca }: CollectedBoxConfig, limits: SourceLimits = {}) {
    this.#limits = limits
    this.id = id
    this.#api = api.replace(/\/$/, '')
    this.#token = token
    this.#ca = ca
  }

  /** With the first request: a file that cannot be read costs this box's items, and not the start of the daemon. */
  #connections(): Agent {
    if (this.#agent !== null) return this.#agent
    const tls = this.#ca === undefined ? {} : { ca: readFileSync(this.#ca, 'utf8') }
    const { connectMs = usualConnectMs, ...most } = this.#limits
    return (this.#agent = new Agent({ ...most, connections: 4, keepAliveTimeout: 4000, connect: { ...tls, timeout: connectMs } }))
  }

  /** Never rejects. Items that the box collected elsewhere are left out: they come from where they were received. */
  async page(feed: InboxMediaRow['feed'], since: number, limit: number, signal: AbortSignal): Promise<Answered> {
    const time = timeLimit(pageMs, signal)
    try {
      // A site may be several boxes, of which one collects what all received.
      const alone = isSiteTrunk(this.id) ? '' : `&box=${this.id}`
      const path = `/api/inbox/${feed}?since=${since}&limit=${limit}${alone}`
      const { statusCode: status, body } = await this.#send('GET', path, time.signal)
      const chunks: Uint8Array[] = []
      let bytes = 0
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        bytes += chunk.length
        if (bytes > mostBytes) return { kind: 'long' }
        chunks.push(chunk)
      }
      return this.#read(status, Buffer.concat(chunks).toString('utf8'), limit)
    } catch (error) {
      return { kind: 'away', reason: codeOf(error) }
    } finally {
      time.done()
    }
  }

  /** Of an answer with status 200 the body is in `file` then. Rejects where the box does not answer. */
  async fetch(path: string, file: string): Promise<Fetched> {
    const { statusCode: status, headers, body } = await this.#send('GET', path, AbortSignal.timeout(fileMs))
    const one = (value: string | string[] | undefined): string => (Array.isArray(value) ? value[0] : value) ?? ''
    if (status === 200) await pipeline(body, createWriteStream(file, { mode: 0o600 }))
    const text = status === 200 ? '' : await body.text()
    return { status, type: one(headers['content-type']), etag: one(headers['etag']), text }
  }

  /** An answer as it comes. Reading rejects where nothing comes for `quietMs`. */
  async open(path: string, quietMs: number, signal: AbortSignal): Promise<Opened> {
    const { statusCode: status, headers, body } = await this.#send('GET', path, signal, quietMs)
    const liveId = headers['x-live-id']
    return { status, body, liveId: typeof liveId === 'string' ? liveId : '' }
  }

  /** Rejects where the box does not answer. */
  async ask(method: 'GET' | 'DELETE', path: string): Promise<Pick<Fetched, 'status' | 'text'>> {
    const { statusCode: status, body } = await this.#send(method, path, AbortSignal.timeout(pageMs))
    return { status, text: await body.text() }
  }

  close(): Promise<void> {
    return this.#agent?.destroy() ?? Promise.resolve()
  }

  #read(status: number, text: string, limit: number): Answered {
    const answer = parsed(text)
    if (status !== 200) return { kind: 'refused', status, code: typeof answer['code'] === 'string' ? answer['code'] : '' }
    const { items, nextSince } = answer as { items?: unknown; nextSince?: unknown }
    if (!Array.isArray(items) || !Number.isSafeInteger(nextSince)) return { kind: 'away', reason: 'the answer is not of a box' }
    const own = items.filter((item): item is CollectedRow['item'] => this.#isOwn(item))
    return { kind: 'page', items: own, whole: items.length < limit, nextSince: nextSince as number }
  }

  /** What the boxes of a site received is of that site. */
  #isOwn(item: unknown): boolean {
    if (typeof item !== 'object' || item === null || 'site' in item || ('box' in item && !isSiteTrunk(this.id))) return false
    const { id } = item as { id?: unknown }
    return typeof id === 'string' && idPattern.test(id)
  }

  async #send(method: 'GET' | 'DELETE', path: string, signal: AbortSignal, quietMs = pageMs) {
    const headers = { authorization: `Bearer ${this.#token}`, accept: 'application/json, */*' }
    const dispatcher = this.#connections()
    return request(`${this.#api}${path}`, { method, dispatcher, headers, signal, headersTimeout: quietMs, bodyTimeout: quietMs })
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function codeOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  if (name === 'TimeoutError') return 'no answer in time'
  return typeof code === 'string' ? code : 'no answer'
}
