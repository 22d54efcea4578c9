/**
 * Tokens and values of PDF syntax (ISO 32000-1, 7.2 and 7.3). Strangers wrote the bytes: nothing is read outside of them, and the time is
 * in proportion to their length.
 */

export class Name {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A reference to an object, by its number. */
export class Ref {
  readonly number: number

  constructor(number: number) {
    this.number = number
  }
}

export type Dictionary = ReadonlyMap<string, Value>
/** A string is a Buffer; what else could be read, such as a keyword in the wrong place, is null. */
export type Value = null | boolean | number | Name | Ref | Buffer | readonly Value[] | Dictionary

export const kind = {
  end: 0,
  number: 1,
  name: 2,
  string: 3,
  hexString: 4,
  openArray: 5,
  closeArray: 6,
  openDictionary: 7,
  closeDictionary: 8,
  keyword: 9,
  /** A string that does not end. */
  unended: 10,
} as const

const regular = 0
const white = 1
const delimiter = 2
const classes = new Uint8Array(256)
for (const byte of [0, 9, 10, 12, 13, 32]) classes[byte] = white
for (const letter of '()<>[]{}/%') classes[letter.charCodeAt(0)] = delimiter

export const isWhite = (byte: number | undefined): boolean => byte !== undefined && classes[byte] === white
export const isRegular = (byte: number | undefined): boolean => byte !== undefined && classes[byte] === regular

const code = (letter: string): number => letter.charCodeAt(0)
const [open, close, backslash, less, greater, slash, percent] = [...'()\\<>/%'].map(code) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
]

const deepest = 200

export class Tokens {
  readonly bytes: Buffer
  /** Where the last token begins and ends; the next one is looked for from its end on. */
  from = 0
  to: number

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes
    this.to = at
  }

  word(): string {
    return this.bytes.toString('latin1', this.from, this.to)
  }

  /** Reads one and gives its kind. */
  next(): number {
    const { bytes } = this
    const { length } = bytes
    let at = this.to
    for (;;) {
      while (at < length && classes[bytes[at] as number] === white) at++
      if (bytes[at] !== percent) break
      while (at < length && bytes[at] !== 10 && bytes[at] !== 13) at++
    }
    this.from = at
    if (at >= length) {
      this.to = length
      return kind.end
    }
    const first = bytes[at] as number
    if (classes[first] === regular || first === slash) {
      at++
      while (at < length && classes[bytes[at] as number] === regular) at++
      this.to = at
      if (first === slash) return kind.name
      return (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46 ? kind.number : kind.keyword
    }
    return this.#delimited(first, at)
  }

  #delimited(first: number, at: number): number {
    const { bytes } = this
    if (first === open) return this.#string(at)
    const twice = bytes[at + 1] === first
    this.to = at + (twice && (first === less || first === greater) ? 2 : 1)
    if (first === less && !twice) {
      const end = bytes.indexOf(greater, at)
      this.to = end < 0 ? bytes.length : end + 1
      return end < 0 ? kind.unended : kind.hexString
    }
    if (first === less) return kind.openDictionary
    if (first === greater && twice) return kind.closeDictionary
    return first === code('[') ? kind.openArray : first === code(']') ? kind.closeArray : kind.keyword
  }

  #string(at: number): number {
    const { bytes } = this
    let depth = 0
    for (; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === backslash) at++
      else if (byte === open) depth++
      else if (byte === close && --depth === 0) {
        this.to = at + 1
        return kind.string
      }
    }
    this.to = bytes.length
    return kind.unended
  }

  /** The value of the token just read, of the kind that `next` gave, with what belongs to it. */
  value(is: number, depth = 0): Value {
    if (is === kind.number) return this.#numberOrReference()
    if (is === kind.name) return new Name(nameOf(this.word()))
    if (is === kind.string) return stringOf(this.bytes.subarray(this.from + 1, this.to - 1))
    if (is === kind.hexString) return hexOf(this.word())
    if (is === kind.openArray && depth < deepest) {
      const values: Value[] = []
      for (let one = this.next(); one !== kind.closeArray && one !== kind.end; one = this.next()) values.push(this.value(one, depth + 1))
      return values
    }
    if (is === kind.openDictionary && depth < deepest) {
      const values = new Map<string, Value>()
      for (let one = this.next(); one !== kind.closeDictionary && one !== kind.end; one = this.next()) {
        if (one !== kind.name) continue
        const key = nameOf(this.word())
        const next = this.next()
        if (next === kind.closeDictionary) break
        values.set(key, this.value(next, depth + 1))
      }
      return values
    }
    return is === kind.keyword && this.word() === 'true' ? true : is === kind.keyword && this.word() === 'false' ? false : null
  }

  #numberOrReference(): Value {
    const number = Number(this.word())
    const after = this.to
    if (Number.isInteger(number) && this.next() === kind.number && this.next() === kind.keyword && this.word() === 'R')
      return new Ref(number)
    this.to = after
    return Number.isFinite(number) ? number : 0
  }
}

/** `#41` is A (7.3.5). */
export function nameOf(text: string): string {
  return text.slice(1).replaceAll(/#([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)))
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

function stringOf(raw: Buffer): Buffer {
  if (!raw.includes(backslash)) return raw
  const text = raw.toString('latin1').replaceAll(/\\(?:([0-7]{1,3})|(\r\n|[^]))/g, (_: string, octal: string | undefined, letter = '') => {
    if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & 255)
    return /[\r\n]/.test(letter) ? '' : (escapes[letter] ?? letter)
  })
  return Buffer.from(text, 'latin1')
}

function hexOf(text: string): Buffer {
  const digits = text.replaceAll(/[^0-9A-Fa-f]/g, '')
  return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex')
}

/** As it is written in a file. */
export function written(value: Value): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : value.toFixed(6)
  if (value instanceof Name) return `/${value.text.replaceAll(/[^!-~]|[#()<>[\]{}/%]/g, (letter) => `#${hexByte(letter)}`)}`
  if (value instanceof Ref) return `${value.number} 0 R`
  if (Buffer.isBuffer(value)) return `<${value.toString('hex')}>`
  if (value instanceof Map)
    return `<< ${[...value].map(([key, one]: [string, Value]) => `${written(new Name(key))} ${written(one)}`).join(' ')} >>`
  return `[${(value as readonly Value[]).map(written).join(' ')}]`
}

const hexByte = (letter: string): string => letter.charCodeAt(0).toString(16).padStart(2, '0')
