/**
 * Answers in a shorter form (RFC 9110 sections 8.4 and 12.5.3). The work is done in threads of the library: the event loop, which calls wait
 * for, only hands the bytes over. Streams, files and what is short stay as they are.
 */
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Answer } from './answer.ts'

/** Below it the head of the answer is most of it: a packet is a packet. */
const leastBytes = 1024

const coders = {
  gzip: (body: Buffer, done: (error: Error | null, made: Buffer<ArrayBuffer>) => void) => gzip(body, { level: 6 }, done),
  br: (body: Buffer, done: (error: Error | null, made: Buffer<ArrayBuffer>) => void) =>
    brotliCompress(
      body,
      {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 4,
          [constants.BROTLI_PARAM_LGWIN]: 18,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      },
      done,
    ),
}

export type Coding = keyof typeof coders

/** Text, in whatever form. */
export function isCompressible({ type = '', body, headers }: Pick<Answer, 'type' | 'body' | 'headers'>): boolean {
  if (body === undefined) return false
  for (const name in headers) {
    const lower = name.toLowerCase()
    if (lower === 'content-encoding' || lower === 'content-range') return false
    if (lower === 'cache-control' && /\bno-transform\b/i.test(headers[name]!)) return false
  }
  return /^(text\/(?!event-stream)|application\/(.*\+)?(json|xml|yaml|javascript)\b|image\/svg\+xml)/i.test(type)
}

function weightsOf(acceptEncoding: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const one of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim())
    const q = parameters.find((part) => part.startsWith('q='))
    const weight = q === undefined ? 1 : Number(q.slice(2))
    if (name !== '' && weight >= 0 && weight <= 1) weights.set(name === 'x-gzip' ? 'gzip' : name, weight)
  }
  return weights
}

/** Whether the client says that it reads this form. */
export function readsCoding(acceptEncoding: string | undefined, coding: Coding): boolean {
  const weights = weightsOf(acceptEncoding ?? '')
  return (weights.get(coding) ?? weights.get('*') ?? 0) > 0
}

/** In which form the client wants a body of that size; undefined as it is. At equal weights gzip: it costs less. */
export function codingOf(acceptEncoding: string | undefined, bytes: number): Coding | undefined {
  if (acceptEncoding === undefined) return undefined
  const weights = weightsOf(acceptEncoding)
  const others = weights.get('*')
  const weightOf = (coding: string): number => weights.get(coding) ?? others ?? 0
  const identity = weights.get('identity') ?? others
  if (bytes < leastBytes && identity !== 0) return undefined
  const best = weightOf('br') > weightOf('gzip') ? 'br' : 'gzip'
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined
}

export function encoded(body: string | Buffer, coding: Coding): Promise<Buffer<ArrayBuffer>> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer<ArrayBuffer>>()
  coders[coding](Buffer.from(body as string), (error, made) => (error === null ? resolve(made) : reject(error)))
  return promise
}
