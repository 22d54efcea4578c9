/** Answers with a file: Range and If-Range (RFC 9110 section 14), If-None-Match, HEAD; read only as fast as the client takes it. */
import { open } from 'node:fs/promises'
import { ApiError } from '../base/errors.ts'
import type { Answer } from './answer.ts'
import { codingOf, isCompressible } from './encoding.ts'
import type { Exchange } from './exchange.ts'

const chunkBytes = 128 * 1024

/** Rejects with not_found where there is no such file; the exchange is untouched then. */
export async function sendFile(exchange: Exchange, answer: Answer, file: { path: string; type: string; etag: string }): Promise<void> {
  const handle = await open(file.path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw new ApiError('not_found', 'This file no longer exists.')
    throw error
  })
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw new ApiError('not_found', 'This file no longer exists.')
    if (exchange.closed) return
    const etag = /^(W\/)?"/.test(file.etag) ? file.etag : `"${file.etag}"`
    const headers: Record<string, string> = { ...answer.headers, ETag: etag, 'Accept-Ranges': 'bytes' }
    const head = { ...answer, type: file.type, headers }
    if (matches(exchange.headers.get('if-none-match'), etag)) {
      exchange.send({ status: 304, type: undefined, body: undefined, headers })
      return
    }
    if (isCompressible({ type: file.type, body: '', headers })) {
      const whole = !exchange.headers.has('range') && codingOf(exchange.headers.get('accept-encoding'), stat.size) !== undefined
      if (whole) {
        exchange.send({ ...head, body: await handle.readFile('utf8') })
        return
      }
      headers['Vary'] = 'Accept-Encoding'
    }
    const range = answer.status === 200 ? wantedRange(exchange, etag, stat.size) : undefined
    if (range === 'unsatisfiable') {
      exchange.send({ status: 416, type: undefined, body: undefined, headers: { ...headers, 'Content-Range': `bytes */${stat.size}` } })
      return
    }
    const { start, end } = range ?? { start: 0, end: stat.size }
    if (range !== undefined) headers['Content-Range'] = `bytes ${start}-${end - 1}/${stat.size}`
    exchange.writeHead(head, range === undefined ? answer.status : 206)
    if (exchange.method === 'HEAD' || end === start) return exchange.endHead(end - start)
    for (let position = start; position < end;) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, end - position))
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
      if (exchange.closed) return
      if (bytesRead === 0) throw new Error('a file became shorter while it was sent')
      if (!(await exchange.part(buffer.subarray(0, bytesRead), end - start))) return
      position += bytesRead
    }
  } finally {
    await handle.close()
  }
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '')
  return header.trim() === '*' || header.split(',').some((tag) => bare(tag) === bare(etag))
}

/** Only a single range of bytes is served; anything else gets the whole file, as the standard allows. */
function wantedRange(exchange: Exchange, etag: string, size: number): { start: number; end: number } | 'unsatisfiable' | undefined {
  const range = /^bytes=(\d*)-(\d*)$/.exec(exchange.headers.get('range')?.trim() ?? '')
  if (range === null) return undefined
  const condition = exchange.headers.get('if-range')
  if (condition !== undefined && condition.trim() !== etag) return undefined
  const [, first = '', last = ''] = range
  if (first === '' && last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (first !== '' && last !== '' && Number(last) < start) return undefined
  return start >= size || start >= end ? 'unsatisfiable' : { start, end }
}
