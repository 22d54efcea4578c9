/**
 * Fetches one file over HTTPS into `<target>.part`, going on where an earlier run stopped, and hands it over under its name
 * only when its sha256 is right. Proxies are those of the environment (HTTPS_PROXY, NO_PROXY).
 */
import { createHash, type Hash } from 'node:crypto'
import { open, readFile, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises'
import { EnvHttpProxyAgent, request, type Dispatcher } from 'undici'
import { ModelError, type Source } from './catalogue.ts'
import { hashOf } from './record.ts'

export interface DownloadOptions {
  readonly signal?: AbortSignal
  /** Bytes that are there, of how many (null: not known); called at most a few times a second. */
  readonly seen?: (bytes: number, total: number | null) => void
  /** So long without a byte, and the connection is given up. */
  readonly stallMs?: number
  /** Wait before the first repetition; doubled each time, up to 30 s. */
  readonly retryMs?: number
  /** More than that is not taken, where the catalogue does not say how much it is. */
  readonly mostBytes?: number
}

/** Repetitions without a single new byte. */
const fruitlessTries = 5
const redirects = 5

/** What the next request has to fit to. */
interface PartInfo {
  readonly url: string
  /** Of the answer the part is from; '' when it had none. */
  readonly etag: string
}

class Retry extends Error {}

/** Resolves with the file's sha256. @throws ModelError */
export async function download(source: Source, target: string, options: DownloadOptions = {}): Promise<string> {
  const dispatcher = new EnvHttpProxyAgent({ connect: { timeout: options.stallMs ?? 30_000 } })
  const part = await Part.open(source, `${target}.part`, options)
  try {
    await fetchAll(part, dispatcher, options)
    if (source.sha256 !== null && part.sha256() !== source.sha256 && part.resumed) {
      // The part that lay here may have been the fault, so the whole is asked for once.
      await part.restart()
      await fetchAll(part, dispatcher, options)
    }
    const sha256 = part.sha256()
    if (source.sha256 !== null && sha256 !== source.sha256) {
      await part.discard()
      throw new ModelError(
        'wrong-content',
        `${source.url} is not the expected file: its sha256 is ${sha256} instead of ${source.sha256}; nothing was installed`,
      )
    }
    await part.finish(target)
    return sha256
  } finally {
    await part.close()
    await dispatcher.destroy().catch(() => {})
  }
}

async function fetchAll(part: Part, dispatcher: Dispatcher, options: DownloadOptions): Promise<void> {
  let fruitless = 0
  while (part.source.bytes === null || part.bytes !== part.source.bytes) {
    const before = part.bytes
    try {
      await fetchOnce(part, dispatcher, options)
      return
    } catch (error) {
      if (options.signal?.aborted) throw new ModelError('aborted', 'stopped; the next install continues from here')
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
        throw new ModelError(
          'no-space',
          `the disk is full after ${part.bytes} bytes of ${part.source.name}`,
          'free space, then install again: it continues where it stopped',
        )
      if (error instanceof ModelError) throw error
      fruitless = part.bytes > before ? 0 : fruitless + 1
      if (fruitless >= fruitlessTries)
        throw new ModelError(
          'network',
          `${part.source.url}: ${reasonOf(error)}`,
          'try again later: it continues where it stopped; or download it elsewhere: pbx models import FILE',
        )
      await pause(Math.min((options.retryMs ?? 1000) * 2 ** Math.max(0, fruitless - 1), 30_000), options.signal)
    }
  }
}

function reasonOf(error: unknown): string {
  const { code, message, cause } = error as NodeJS.ErrnoException
  const inner = cause instanceof Error ? cause.message : ''
  return code === 'UND_ERR_BODY_TIMEOUT' || code === 'UND_ERR_HEADERS_TIMEOUT'
    ? 'the download stalled'
    : message || inner || code || 'no answer'
}

async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
}

async function fetchOnce(part: Part, dispatcher: Dispatcher, options: DownloadOptions): Promise<void> {
  const { source } = part
  const headers: Record<string, string> = { 'user-agent': 'pbxd', 'accept-encoding': 'identity' }
  if (part.bytes > 0) {
    headers['range'] = `bytes=${part.bytes}-`
    if (part.etag !== '' && !part.etag.startsWith('W/')) headers['if-range'] = part.etag
  }
  const answer = await follow(source.url, headers, dispatcher, options)
  const length = (name: string): string => String(answer.headers[name] ?? '')
  const etag = length('etag')
  const dump = (): Promise<void> => answer.body.dump({ limit: 65_536 }).catch(() => {})

  if (answer.statusCode === 416) {
    await dump()
    await part.restart()
    throw new Retry('the server has less than is already here')
  }
  if (answer.statusCode === 206) {
    const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(length('content-range'))
    const total = range?.[2] === undefined || range[2] === '*' ? null : Number(range[2])
    const other = etag !== '' && part.etag !== '' && etag !== part.etag
    if (range === null || Number(range[1]) !== part.bytes || other) {
      await dump()
      await part.restart()
      throw new Retry('the server sent another part than requested')
    }
    part.expect(total)
  } else if (answer.statusCode === 200) {
    if (part.bytes > 0) await part.restart()
    part.expect(length('content-length') === '' ? null : Number(length('content-length')))
  } else {
    await dump()
    const text = `the server answered ${answer.statusCode}`
    if (answer.statusCode >= 500 || answer.statusCode === 429 || answer.statusCode === 408) throw new Retry(text)
    throw new ModelError('network', `${source.url}: ${text}`, 'download it elsewhere: pbx models import FILE')
  }
  await part.remember({ url: source.url, etag })
  for await (const piece of answer.body) await part.add(piece as Buffer)
  if (part.total !== null && part.bytes < part.total) throw new Retry(`the connection ended after ${part.bytes} of ${part.total} bytes`)
}

/** Follows redirects itself: from HTTPS to HTTPS only. */
async function follow(
  from: string,
  headers: Record<string, string>,
  dispatcher: Dispatcher,
  options: DownloadOptions,
): Promise<Dispatcher.ResponseData> {
  let url = new URL(from)
  for (let hop = 0; hop <= redirects; hop += 1) {
    const timeout = options.stallMs ?? 30_000
    const answer = await request(url, {
      dispatcher,
      headers,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
    const location = answer.headers['location']
    if (![301, 302, 303, 307, 308].includes(answer.statusCode) || typeof location !== 'string') return answer
    await answer.body.dump({ limit: 65_536 }).catch(() => {})
    const next = new URL(location, url)
    const loopback = ['127.0.0.1', '[::1]', 'localhost']
    if (next.protocol !== 'https:' && !(next.protocol === 'http:' && url.protocol === 'http:' && loopback.includes(next.hostname)))
      throw new ModelError('network', `${from} redirects to ${next.origin}, which is not HTTPS`)
    url = next
  }
  throw new ModelError('network', `${from} redirects too often`)
}

/** The file that grows, and the hash of what is in it. */
class Part {
  readonly source: Source
  readonly #path: string
  readonly #options: DownloadOptions
  readonly #file: FileHandle
  #hash: Hash
  #digest: string | undefined
  #told = 0
  bytes = 0
  /** As the catalogue or the server says. */
  total: number | null
  etag = ''
  /** Whether some of it is from an earlier run. */
  resumed = false

  private constructor(source: Source, path: string, file: FileHandle, options: DownloadOptions) {
    this.source = source
    this.total = source.bytes
    this.#path = path
    this.#file = file
    this.#options = options
    this.#hash = createHash('sha256')
  }

  static async open(source: Source, path: string, options: DownloadOptions): Promise<Part> {
    const there = await stat(path).then(
      ({ size }) => size,
      () => 0,
    )
    const info = await readFile(`${path}.json`, 'utf8')
      .then((text) => JSON.parse(text) as PartInfo)
      .catch(() => undefined)
    const usable =
      there > 0 && info?.url === source.url && (source.sha256 !== null || info.etag !== '') && there <= (source.bytes ?? Infinity)
    const part = new Part(source, path, await open(path, usable ? 'r+' : 'w', 0o644), options)
    if (!usable) return part
    await hashOf(path, { into: part.#hash, ...(options.signal === undefined ? {} : { signal: options.signal }) })
    part.bytes = there
    part.etag = info.etag
    part.resumed = true
    part.#tell(true)
    return part
  }

  /** What the server says the whole has must be what the catalogue says. */
  expect(total: number | null): void {
    const most = this.source.bytes ?? this.#options.mostBytes ?? Infinity
    if (total !== null && this.source.bytes !== null && total !== this.source.bytes)
      throw new ModelError(
        'wrong-content',
        `${this.source.url} has ${total} bytes instead of ${this.source.bytes}: it was changed on the server`,
      )
    if (total !== null && total > most)
      throw new ModelError('wrong-content', `${this.source.url} has ${total} bytes, far more than it should`)
    this.total = this.source.bytes ?? total
  }

  async remember(info: PartInfo): Promise<void> {
    if (this.etag === info.etag && this.bytes > 0) return
    this.etag = info.etag
    await writeFile(`${this.#path}.json`, JSON.stringify(info))
  }

  async add(piece: Buffer): Promise<void> {
    if (this.bytes + piece.length > (this.total ?? this.#options.mostBytes ?? Infinity))
      throw new ModelError('wrong-content', `${this.source.url} is longer than it should be`)
    for (let at = 0; at < piece.length;) at += (await this.#file.write(piece, at, piece.length - at, this.bytes + at)).bytesWritten
    this.#hash.update(piece)
    this.bytes += piece.length
    this.#tell(false)
  }

  #tell(always: boolean): void {
    const now = performance.now()
    if (!always && now - this.#told < 100 && this.bytes !== this.total) return
    this.#told = now
    this.#options.seen?.(this.bytes, this.total)
  }

  async restart(): Promise<void> {
    await this.#file.truncate(0)
    this.#hash = createHash('sha256')
    this.#digest = undefined
    this.bytes = 0
    this.etag = ''
    this.resumed = false
    this.#tell(true)
  }

  sha256(): string {
    return (this.#digest ??= this.#hash.digest('hex'))
  }

  async finish(target: string): Promise<void> {
    await this.#file.sync()
    await rename(this.#path, target)
    await rm(`${this.#path}.json`, { force: true })
  }

  async discard(): Promise<void> {
    await rm(this.#path, { force: true })
    await rm(`${this.#path}.json`, { force: true })
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}
