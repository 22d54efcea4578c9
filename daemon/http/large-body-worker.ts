/** The thread in which bodies over 1 MiB are read: the JSON parsed, the file in it decoded, the whole hashed; what is no JSON comes back in one piece. */
import { createHash } from 'node:crypto'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { decodeBase64, type Base64Fault } from '../base/base64.ts'
import { ApiError, type ErrorCode } from '../base/errors.ts'
import { parseJson } from './parse.ts'

/** `whole`: the body is the file, as it came. */
export type FileIn = FilePlace | 'whole'

export interface FilePlace {
  /** Names of the members that lead to the Base64 text. */
  readonly path: readonly string[]
  readonly mostBytes: number
}

/** A part of a body, its end, or that the rest will not come. */
export type LargeBodyMessage =
  | { readonly id: number; readonly chunk: Uint8Array<ArrayBuffer> }
  /** `prefix`: hashed in front of the body. */
  | { readonly id: number; readonly prefix: string; readonly file: FileIn | undefined }
  | { readonly id: number; readonly dropped: true }

export type LargeBodyAnswer =
  | {
      readonly id: number
      readonly value: unknown
      /** Where the text was, `value` has only a mark. */
      readonly file: Uint8Array<ArrayBuffer> | Base64Fault | undefined
      readonly fingerprint: string
    }
  /** `code`: null for a fault of the program. */
  | { readonly id: number; readonly error: { readonly code: ErrorCode | null; readonly message: string } }

/** Large requests hold one large text; more values than this would hold up the code that gets them. */
const mostValues = 10_000

/** Of this thread alone (setpriority(2)): the loop that serves the calls comes first. */
const nice = 10
if (parentPort !== null) setPriority(0, nice)

const arriving = new Map<number, Uint8Array[]>()

parentPort?.on('message', (message: LargeBodyMessage) => {
  const { id } = message
  const chunks = arriving.get(id) ?? []
  if ('chunk' in message) {
    chunks.push(message.chunk)
    arriving.set(id, chunks)
    return
  }
  arriving.delete(id)
  if ('dropped' in message) return
  const answer = read(id, chunks, message.prefix, message.file)
  const transfer = 'file' in answer && answer.file instanceof Uint8Array ? [answer.file.buffer] : []
  parentPort?.postMessage(answer, transfer)
})

function read(id: number, chunks: readonly Uint8Array[], prefix: string, file: FileIn | undefined): LargeBodyAnswer {
  try {
    const hash = createHash('sha256').update(prefix)
    for (const chunk of chunks) hash.update(chunk)
    const fingerprint = hash.digest('hex')
    if (file === 'whole') return { id, value: undefined, file: new Uint8Array(Buffer.concat(chunks)), fingerprint }
    const value = parseJson(Buffer.concat(chunks))
    if (hasMore(value)) throw new ApiError('validation_failed', `The body holds more than ${mostValues} values.`)
    return { id, value, file: file === undefined ? undefined : taken(value, file), fingerprint }
  } catch (error) {
    return { id, error: error instanceof ApiError ? { code: error.code, message: error.message } : { code: null, message: String(error) } }
  }
}

/** Takes the text out of the value. */
function taken(value: unknown, { path, mostBytes }: FilePlace): Uint8Array<ArrayBuffer> | Base64Fault | undefined {
  let holder = value
  for (const name of path.slice(0, -1)) holder = isObject(holder) ? holder[name] : undefined
  const last = path.at(-1)
  if (last === undefined || !isObject(holder) || typeof holder[last] !== 'string') return undefined
  const file = decodeBase64(holder[last], mostBytes)
  holder[last] = '='
  return file
}

function hasMore(value: unknown): boolean {
  let left = mostValues
  const count = (inner: unknown): void => {
    if (--left < 0 || typeof inner !== 'object' || inner === null) return
    if (Array.isArray(inner) && inner.length > left) left = -1
    else for (const one of Object.values(inner)) count(one)
  }
  count(value)
  return left < 0
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
