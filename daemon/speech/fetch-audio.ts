/**
 * Audio files of applications, by URL: at most 10 MiB in 5 seconds, kept in memory and asked for again with their ETag.
 * A server that fails is covered by the copy that was fetched before.
 */
import type { Dispatcher } from 'undici'
import { request } from '../base/http-client.ts'
import type { Clip } from '../../drivers/line.ts'
import { decodeWav } from './decode.ts'

export interface FetchedAudio {
  /** Null where there is nothing to play; `warning` says why. */
  readonly clip: Clip | null
  readonly warning: string
}

export interface AudioFetcherOptions {
  /** Decides which addresses may be reached. */
  readonly dispatcher: Dispatcher
  readonly limitMs?: number
  readonly cacheBytes?: number
}

interface Entry {
  readonly clip: Clip
  readonly cut: boolean
  /** What it took to make: of the file or of the samples, whichever is larger. */
  readonly bytes: number
  readonly etag: string
  readonly lastModified: string
}

const mostBytes = 10 * 1024 * 1024
/** 15 minutes: more than that is no prompt, and a driver could not hold it. */
const mostSeconds = 15 * 60

export class AudioFetcher {
  readonly #options: AudioFetcherOptions
  readonly #entries = new Map<string, Entry>()
  readonly #flights = new Map<string, Promise<FetchedAudio>>()
  #bytes = 0
  /** Files are decoded one after the other: each may be 10 MiB. */
  #decoding: Promise<unknown> = Promise.resolve()

  constructor(options: AudioFetcherOptions) {
    this.#options = options
  }

  /** Never rejects. Several calls that ask for the same address at once share one request. */
  get(url: string): Promise<FetchedAudio> {
    const flying = this.#flights.get(url)
    if (flying !== undefined) return flying
    const flight = this.#fetch(url).finally(() => this.#flights.delete(url))
    this.#flights.set(url, flight)
    return flight
  }

  async #fetch(url: string): Promise<FetchedAudio> {
    const known = this.#entries.get(url)
    try {
      const entry = await this.#ask(url, known)
      if (entry !== known) this.#keep(url, entry)
      const cut = entry.cut ? `${describe(url)} is longer than 15 minutes and was cut` : ''
      return { clip: entry.clip, warning: cut }
    } catch (error) {
      const reason = `${describe(url)}: ${error instanceof Error ? explain(error) : String(error)}`
      return known === undefined
        ? { clip: null, warning: reason }
        : { clip: known.clip, warning: `${reason}; the copy fetched before was played` }
    }
  }

  async #ask(url: string, known: Entry | undefined): Promise<Entry> {
    const headers: Record<string, string> = { accept: 'audio/wav, audio/x-wav, */*;q=0.1' }
    if (known !== undefined && known.etag !== '') headers['if-none-match'] = known.etag
    else if (known !== undefined && known.lastModified !== '') headers['if-modified-since'] = known.lastModified
    const answer = await request(url, {
      headers,
      signal: AbortSignal.timeout(this.#options.limitMs ?? 5000),
      dispatcher: this.#options.dispatcher,
    })
    if (answer.statusCode === 304 && known !== undefined) {
      await answer.body.dump()
      return known
    }
    if (answer.statusCode !== 200) {
      await answer.body.dump().catch(() => undefined)
      throw new Error(`the server answered ${answer.statusCode}`)
    }
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > mostBytes) throw new Error('the file is larger than 10 MiB')
      chunks.push(chunk)
    }
    const turn = this.#decoding.then(() => decodeWav(chunks, mostSeconds))
    this.#decoding = turn.catch(() => undefined)
    const { key, samples, cut } = await turn
    return {
      clip: { key, samples, text: describe(url) },
      cut,
      bytes: Math.max(bytes, samples.byteLength),
      etag: one(answer.headers['etag']),
      lastModified: one(answer.headers['last-modified']),
    }
  }

  #keep(url: string, entry: Entry): void {
    const old = this.#entries.get(url)
    if (old !== undefined) this.#forget(url, old)
    this.#entries.set(url, entry)
    this.#bytes += entry.bytes
    for (const [oldest, each] of this.#entries) {
      if (this.#bytes <= (this.#options.cacheBytes ?? 64 * 1024 * 1024)) return
      this.#forget(oldest, each)
    }
  }

  #forget(url: string, entry: Entry): void {
    this.#entries.delete(url)
    this.#bytes -= entry.bytes
  }
}

/** The file's name without what may be secret in the query. */
function describe(url: string): string {
  try {
    const { host, pathname } = new URL(url)
    return `${host}${pathname}`.slice(0, 120)
  } catch {
    return 'The audio file'
  }
}

function explain(error: Error): string {
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no full answer in time'
  return error.message === '' ? String((error as NodeJS.ErrnoException).code ?? error.name) : error.message
}

function one(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? ''
}
