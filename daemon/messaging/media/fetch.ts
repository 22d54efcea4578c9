/**
 * One attempt to fetch a file of a text. The provider has said where it lies; this decides which servers may be asked, and which get the
 * account's secret.
 */
import { open, rm, type FileHandle } from 'node:fs/promises'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Agent } from 'undici'
import type { MediaAccess } from '../../../drivers/sms.ts'
import { timeLimit } from '../../base/clock.ts'
import { networkWords } from '../../base/errors.ts'
import { request } from '../../base/http-client.ts'
import { checkUrl, type AddressPolicy } from '../../outbox/address.ts'

/** The servers that the box asks: the provider's own address, and all others. */
export interface MediaDoors {
  readonly provider: { readonly agent: Agent; readonly policy: AddressPolicy }
  readonly others: { readonly agent: Agent; readonly policy: AddressPolicy }
}

export interface FetchOptions {
  readonly doors: MediaDoors
  readonly access: (url: URL) => MediaAccess
  /** As the provider calls it; '' where it does not. */
  readonly contentType: string
  /** Where to write it. */
  readonly file: string
  readonly mostBytes: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type Fetched =
  | { readonly kind: 'stored'; readonly contentType: string; readonly bytes: number }
  /** Nothing that is tried again. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** `lasting`: it looks as if it stayed so. */
  | { readonly kind: 'later'; readonly reason: string; readonly lasting: boolean }

const mostRedirects = 5
const redirects: readonly number[] = [301, 302, 303, 307, 308]

/** What a server says in place of a file. */
const words: readonly string[] = ['text/html', 'application/xhtml+xml', 'application/json', 'application/xml', 'text/xml']
const webPage = 'the server answers with a web page instead'
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

class Refused extends Error {}

const later = (reason: string): Fetched => ({ kind: 'later', reason, lasting: true })

/** Never rejects. A file that did not come whole is removed. */
export async function fetchMedia(address: string, options: FetchOptions): Promise<Fetched> {
  const limit = timeLimit(options.timeoutMs, options.signal)
  try {
    const fetched = await follow(address, options, limit.signal)
    if (fetched.kind !== 'stored') await rm(options.file, { force: true })
    return fetched
  } catch (error) {
    await rm(options.file, { force: true }).catch(() => undefined)
    return failure(error as Error & { code?: string })
  } finally {
    limit.done()
  }
}

async function follow(address: string, options: FetchOptions, signal: AbortSignal): Promise<Fetched> {
  let target = address
  for (let hop = 0; hop <= mostRedirects; hop++) {
    const { url, response } = await ask(target, options, signal)
    const { statusCode, headers } = response
    const place = one(headers['location'])
    if (redirects.includes(statusCode) && place !== '') {
      await response.body.dump({ limit: 65_536 }).catch(() => undefined)
      const next = URL.parse(place, url.href)
      if (next === null) return { kind: 'refused', reason: 'the server redirects to an invalid address' }
      if (url.protocol === 'https:' && next.protocol !== 'https:')
        return { kind: 'refused', reason: 'the server redirects to an address that is not https' }
      target = next.href
      continue
    }
    if (statusCode !== 200) {
      await response.body.dump({ limit: 65_536 }).catch(() => undefined)
      return ofStatus(statusCode)
    }
    return store(response, options)
  }
  return { kind: 'refused', reason: `the server redirects more than ${mostRedirects} times` }
}

async function ask(target: string, { doors, access }: FetchOptions, signal: AbortSignal) {
  const parsed = URL.parse(target)
  const { own, headers } = parsed === null ? { own: false, headers: {} } : access(parsed)
  const { agent, policy } = own ? doors.provider : doors.others
  const checked = checkUrl(target, policy)
  if (!checked.ok) throw new Refused(checked.reason)
  const { url } = checked
  const response = await request(url, {
    dispatcher: agent,
    headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'pbx', ...headers },
    signal,
  })
  return { url, response }
}

type Response = Awaited<ReturnType<typeof request>>

async function store({ headers, body }: Response, { file, mostBytes, contentType }: FetchOptions): Promise<Fetched> {
  // A body that is left before its end emits an error, which would end the process without a listener.
  body.on('error', () => undefined)
  const type = typeOf(one(headers['content-type']), contentType)
  const content = decoded(body, one(headers['content-encoding']))
  const limit = { kind: 'refused', reason: `it is larger than ${Math.floor(mostBytes / 1_048_576)} MiB` } as const
  if (Number(one(headers['content-length'])) > mostBytes) return (body.destroy(), limit)
  if (content === null) return (body.destroy(), later('the server packs it in a way that is not known here'))
  if (words.includes(type) && plainType(contentType) !== type) return (body.destroy(), later(webPage))
  const handle = await open(file, 'w+', 0o600)
  try {
    const bytes = await write(handle, content, mostBytes)
    if (bytes === null) return limit
    if (bytes === 0) return later('the file is empty')
    if (/^(image\/(?!svg)|audio\/|video\/)/.test(type) && (await beginsAsWords(handle))) return later(webPage)
    return { kind: 'stored', contentType: type, bytes }
  } finally {
    await handle.close()
  }
}

/** Asked for as it is, it comes packed from some servers. Null where nobody can read it. */
function decoded(body: Readable, encoding: string): Readable | null {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return body
  if (!Object.hasOwn(decoders, name)) return null
  return pipeline(body, decoders[name]!(), () => undefined)
}

/** A page to log in, or a complaint of the server's, that goes by the name of a picture. */
async function beginsAsWords(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0)
  return /^(\uFEFF)?\s*(<!doctype|<html|<\?xml|\{)/i.test(buffer.toString('utf8', 0, bytesRead))
}

/** Null where it is too long. */
async function write(handle: FileHandle, body: AsyncIterable<Buffer>, mostBytes: number): Promise<number | null> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > mostBytes) return null
    await handle.write(chunk)
  }
  return bytes
}

const plainType = (text: string): string => text.split(';', 1)[0]!.trim().toLowerCase()
const saysNothing: readonly string[] = ['', 'application/octet-stream', 'binary/octet-stream', 'application/x-www-form-urlencoded']

function typeOf(answered: string, told: string): string {
  const [type, other] = [plainType(answered), plainType(told)]
  const found = saysNothing.includes(type) ? other : type
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(found) ? found : 'application/octet-stream'
}

function ofStatus(status: number): Fetched {
  if (status === 410) return { kind: 'refused', reason: 'the provider has deleted it (HTTP 410)' }
  const lasting = status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429
  const known = status === 401 || status === 403 ? 'the provider refuses it to this account' : 'the provider does not have it'
  return { kind: 'later', reason: lasting ? `${known} (HTTP ${status})` : `the provider answered ${status}`, lasting }
}

const one = (value: string | string[] | undefined): string => (Array.isArray(value) ? value[0] : value) ?? ''

function failure(error: Error & { code?: string }): Fetched {
  if (error instanceof Refused || error.code === 'ADDRESS_REFUSED')
    return { kind: 'refused', reason: `the address is not permitted: ${error.message}` }
  const reason =
    error.name === 'TimeoutError' ? 'it did not arrive in time' : error.name === 'AbortError' ? 'the box is stopping' : networkWords(error)
  return { kind: 'later', reason, lasting: false }
}
