/**
 * Looks into an ONNX file (a protobuf ModelProto) without loading it: whether it is whole, which metadata it has, and which
 * inputs and outputs. ONNX Runtime and sherpa end the process over a file that is cut off or lacks an entry; here
 * that is an error like any other.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { SpeechError } from '../speech.ts'

export interface OnnxOutline {
  readonly metadata: ReadonlyMap<string, string>
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

interface Source {
  readonly size: number
  /** So many bytes, or fewer at the end of the file. */
  bytes(offset: number, length: number): Uint8Array
}

interface Field {
  readonly number: number
  /** Of the content; that of a number is empty. */
  readonly start: number
  readonly end: number
}

/** Field numbers of onnx.proto. */
const model = { graph: 7, metadata: 14 } as const
const graph = { input: 11, output: 12 } as const
/** Far above any name or metadata entry, far below a weight. */
const longestText = 1 << 20
const windowBytes = 4096

/** Throws SpeechError `engine-failed` for a file that is absent, cut off or no ONNX file. */
export function readOnnxFile(path: string): OnnxOutline {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    throw new SpeechError('engine-failed', `The model file ${path} cannot be read`)
  }
  try {
    return outline(fileSource(file), path)
  } finally {
    closeSync(file)
  }
}

/** Throws SpeechError `engine-failed`. */
export function readOnnxBytes(bytes: Uint8Array): OnnxOutline {
  return outline({ size: bytes.length, bytes: (offset, length) => bytes.subarray(offset, offset + length) }, 'The model')
}

function outline(source: Source, name: string): OnnxOutline {
  const metadata = new Map<string, string>()
  const inputs: string[] = []
  const outputs: string[] = []
  let graphs = 0
  try {
    for (const field of fields(source, 0, source.size)) {
      if (field.number === model.metadata) metadata.set(textOf(source, field, 1), textOf(source, field, 2))
      if (field.number !== model.graph) continue
      graphs += 1
      for (const part of fields(source, field.start, field.end)) {
        if (part.number === graph.input) inputs.push(textOf(source, part, 1))
        if (part.number === graph.output) outputs.push(textOf(source, part, 1))
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new SpeechError('engine-failed', `${name} is cut off or not an ONNX file`)
  }
  if (graphs !== 1 || outputs.length === 0) throw new SpeechError('engine-failed', `${name} is not an ONNX file`)
  return { metadata, inputs, outputs }
}

/** Fields of one message; RangeError where the bytes are no message or end before it does. */
function* fields(source: Source, start: number, end: number): Generator<Field> {
  let at = start
  while (at < end) {
    const [tag, afterTag] = varint(source, at, end)
    const number = Math.floor(tag / 8)
    if (number === 0) throw new RangeError()
    switch (tag % 8) {
      case 0:
        at = varint(source, afterTag, end)[1]
        yield { number, start: at, end: at }
        break
      case 1:
        at = afterTag + 8
        break
      case 2: {
        const [length, content] = varint(source, afterTag, end)
        at = content + length
        if (at > end) throw new RangeError()
        yield { number, start: content, end: at }
        break
      }
      case 5:
        at = afterTag + 4
        break
      default:
        throw new RangeError()
    }
    if (at > end) throw new RangeError()
  }
}

function textOf(source: Source, message: Field, number: number): string {
  for (const field of fields(source, message.start, message.end)) {
    if (field.number !== number) continue
    if (field.end - field.start > longestText) throw new RangeError()
    return Buffer.from(source.bytes(field.start, field.end - field.start)).toString('utf8')
  }
  return ''
}

function varint(source: Source, at: number, end: number): [value: number, next: number] {
  const bytes = source.bytes(at, Math.min(10, end - at))
  let value = 0
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]!
    value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return [value, at + index + 1]
  }
  throw new RangeError()
}

/** Reads a page at a time: names and lengths lie close together, weights are skipped. */
function fileSource(file: number): Source {
  const { size } = fstatSync(file)
  let window = new Uint8Array(0)
  let windowAt = 0
  return {
    size,
    bytes: (offset, length) => {
      if (offset < windowAt || offset + length > windowAt + window.length) {
        const page = new Uint8Array(Math.max(length, windowBytes))
        window = page.subarray(0, readSync(file, page, 0, page.length, offset))
        windowAt = offset
      }
      return window.subarray(offset - windowAt, offset - windowAt + length)
    },
  }
}
