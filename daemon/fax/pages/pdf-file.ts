/**
 * The objects of a PDF, read by ourselves: whether all of a page is drawn cannot be asked of what draws it. PDFium writes the document out
 * first, so that protection, packed objects and damaged tables are behind us: what is read here has a plain table of its objects.
 */
import { kind, Name, Ref, Tokens, written, type Dictionary, type Value } from './pdf-tokens.ts'

export interface Stream {
  readonly number: number
  readonly dictionary: Dictionary
  /** As it lies in the file. */
  readonly data: Buffer
}

export class PdfFile {
  readonly #bytes: Buffer
  readonly #places = new Map<number, number>()
  readonly #values = new Map<number, Value | Stream>()
  readonly #table: number
  readonly trailer: Dictionary

  /** Throws Error where the bytes are not what PDFium writes. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    const end = new Tokens(bytes, Math.max(0, bytes.lastIndexOf('startxref')) + 'startxref'.length)
    const table = end.value(end.next())
    if (typeof table !== 'number') throw new Error('no table of objects')
    this.#table = table
    const tokens = new Tokens(bytes, table)
    if (tokens.next() !== kind.keyword || tokens.word() !== 'xref') throw new Error('no table of objects')
    let is = tokens.next()
    for (; is === kind.number; is = tokens.next()) {
      const first = Number(tokens.word())
      tokens.next()
      const count = Number(tokens.word())
      for (let index = 0; index < count; index++) {
        tokens.next()
        const place = Number(tokens.word())
        tokens.next()
        tokens.next()
        if (tokens.word() === 'n') this.#places.set(first + index, place)
        else if (tokens.word() !== 'f') throw new Error('a damaged table of objects')
      }
    }
    const trailer = tokens.value(tokens.next())
    if (!(trailer instanceof Map)) throw new Error('no trailer')
    this.trailer = trailer
  }

  /** The value itself, or what it refers to. */
  at(value: Value | undefined): Value | Stream {
    if (!(value instanceof Ref)) return value ?? null
    const { number } = value
    const known = this.#values.get(number)
    if (known !== undefined) return known
    // What refers to itself is nothing.
    this.#values.set(number, null)
    const read = this.#read(number)
    this.#values.set(number, read)
    return read
  }

  #read(number: number): Value | Stream {
    const place = this.#places.get(number)
    if (place === undefined) return null
    const tokens = new Tokens(this.#bytes, place)
    for (let word = 0; word < 3; word++) tokens.next()
    if (tokens.word() !== 'obj') return null
    const value = tokens.value(tokens.next())
    if (!(value instanceof Map) || tokens.next() !== kind.keyword || tokens.word() !== 'stream') return value
    const from = tokens.to + (this.#bytes[tokens.to] === 13 && this.#bytes[tokens.to + 1] === 10 ? 2 : 1)
    const length = this.at(value.get('Length'))
    return { number, dictionary: value, data: this.#bytes.subarray(from, from + (typeof length === 'number' ? Math.max(0, length) : 0)) }
  }

  dictionary(value: Value | undefined): Dictionary | undefined {
    const found = this.at(value)
    if (found instanceof Map) return found
    return isStream(found) ? found.dictionary : undefined
  }

  stream(value: Value | undefined): Stream | undefined {
    const found = this.at(value)
    return isStream(found) ? found : undefined
  }

  /** The members of an array; of what is none, itself alone. */
  list(value: Value | undefined): readonly Value[] {
    const found = this.at(value)
    if (Array.isArray(found)) return found as readonly Value[]
    return value === undefined || found === null ? [] : [value]
  }

  number(value: Value | undefined): number | undefined {
    const found = this.at(value)
    return typeof found === 'number' ? found : undefined
  }

  name(value: Value | undefined): string {
    const found = this.at(value)
    return found instanceof Name ? found.text : ''
  }

  /** The same document with other objects in the place of some; the data of streams are not coded. */
  with(changes: readonly Change[]): Buffer {
    const parts = [this.#bytes]
    let length = this.#bytes.length
    let table = 'xref\n'
    const add = (piece: Buffer): void => {
      parts.push(piece)
      length += piece.length
    }
    for (const { number, dictionary, data } of changes) {
      const own = new Map(dictionary)
      if (data !== undefined) {
        for (const key of ['Filter', 'DecodeParms']) own.delete(key)
        own.set('Length', data.length)
      }
      add(Buffer.from('\n'))
      table += `${number} 1\n${String(length).padStart(10, '0')} 00000 n \n`
      add(Buffer.from(`${number} 0 obj\n${written(own)}\n`, 'latin1'))
      if (data !== undefined) {
        add(Buffer.from('stream\n'))
        add(data)
        add(Buffer.from('\nendstream\n'))
      }
      add(Buffer.from('endobj\n'))
    }
    const trailer = written(new Map([...this.trailer, ['Prev', this.#table]]))
    add(Buffer.from(`${table}trailer\n${trailer}\nstartxref\n${length}\n%%EOF\n`, 'latin1'))
    return Buffer.concat(parts)
  }
}

/** What stands in the place of an object: a dictionary, or a stream. */
export interface Change {
  readonly number: number
  readonly dictionary: Dictionary
  readonly data?: Buffer
}

export function isStream(value: Value | Stream | undefined): value is Stream {
  return typeof value === 'object' && value !== null && 'dictionary' in value && 'data' in value
}
