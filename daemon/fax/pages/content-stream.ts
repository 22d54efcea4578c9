/**
 * What a content stream asks for (ISO 32000-1, 7.8.2 and annex A), read to its end: the marks that come in pairs, how many texts and pictures
 * it shows, and which forms, fonts and patterns it uses.
 */
import type { PdfFile } from './pdf-file.ts'
import { filtersOf, takenBy } from './pdf-filters.ts'
import { isRegular, isWhite, kind, Name, nameOf, Tokens, type Value } from './pdf-tokens.ts'

/** A picture within the content: BI, its entries, ID, data, EI. */
export interface InlinePicture {
  readonly from: number
  readonly to: number
  readonly entries: ReadonlyMap<string, Value>
  readonly data: Buffer
  /** Its data end where any reader looks for their end, and white space is between them and EI. */
  readonly apart: boolean
}

export interface Content {
  /** What is wrong with it, as the end of a sentence about it; undefined where all is well. */
  readonly fault: string | undefined
  /** Pairs that it began and did not end: q and Q, BT and ET. */
  readonly open: boolean
  /** It ends within a text, or with operands that have no operator: where a writer does not end, and what is cut off does. */
  readonly breaksOff: boolean
  /** Texts that have a letter at least. */
  readonly texts: number
  readonly inlines: readonly InlinePicture[]
  /** How often each XObject is drawn. */
  readonly drawn: ReadonlyMap<string, number>
  readonly fonts: ReadonlySet<string>
  readonly states: ReadonlySet<string>
  readonly patterns: ReadonlySet<string>
}

const operators = new Set([
  ...'b B b* B* BDC BI BMC BT BX c cm CS cs d d0 d1 Do DP EI EMC ET EX f F f* G g gs h i ID j J K k l m M MP n q Q re RG rg ri s S SC sc'.split(
    ' ',
  ),
  ...'SCN scn sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y'.split(' '),
  "'",
  '"',
])

const mostInVain = 64 * 1024 * 1024

/** As far behind EI as what follows is looked at. */
const looked = 48

/** Whether content goes on at `at`: white space, then operands and a known operator, or the end. Bytes of a picture look otherwise. */
function goesOn(bytes: Buffer, at: number): boolean {
  if (at < bytes.length && isRegular(bytes[at])) return false
  const part = bytes.subarray(at, at + looked)
  for (const byte of part) if ((byte < 32 && !isWhite(byte)) || byte > 126) return false
  const tokens = new Tokens(part)
  for (let is = tokens.next(); is !== kind.end; is = tokens.next()) {
    if (is === kind.unended) return true
    // What was cut off where the look ends is not judged.
    if (is === kind.keyword) return operators.has(tokens.word()) || tokens.to === part.length
  }
  return true
}

class Reader {
  readonly #tokens: Tokens
  readonly #file: PdfFile
  readonly #near: Ends
  readonly #far: Ends
  /** Bytes that were unpacked and had no end. */
  #inVain = 0
  fault: string | undefined
  texts = 0
  readonly inlines: InlinePicture[] = []
  readonly drawn = new Map<string, number>()
  readonly fonts = new Set<string>()
  readonly states = new Set<string>()
  readonly patterns = new Set<string>()
  #depth = 0
  #inText = false
  /** An operator for text came after BT. */
  #hasBegun = false
  #dangling = false
  /** Of the operator to come: its last name, and whether a string among its operands has a letter. */
  #name = ''
  #hasLetter = false

  constructor(file: PdfFile, bytes: Buffer) {
    this.#file = file
    this.#tokens = new Tokens(bytes)
    this.#near = new Ends(bytes)
    this.#far = new Ends(bytes)
  }

  read(): this {
    const tokens = this.#tokens
    let nested = 0
    for (let is = tokens.next(); is !== kind.end && this.fault === undefined; is = tokens.next()) {
      this.#dangling = is !== kind.keyword
      if (is === kind.name) this.#name = tokens.word()
      else if (is === kind.string || is === kind.hexString) this.#hasLetter ||= tokens.to - tokens.from > 2
      else if (is === kind.openArray || is === kind.openDictionary) nested++
      else if (is === kind.closeArray || is === kind.closeDictionary) nested = Math.max(0, nested - 1)
      else if (is === kind.unended) this.fault = 'ends in the midst of a string'
      else if (is === kind.keyword && nested === 0) this.#operate(tokens.word())
    }
    if (nested > 0) this.fault ??= 'ends in the midst of an array'
    return this
  }

  get open(): boolean {
    return this.#inText || this.#depth > 0
  }

  get breaksOff(): boolean {
    return this.open && (this.#dangling || (this.#inText && this.#hasBegun))
  }

  #operate(operator: string): void {
    this.#hasBegun ||= this.#inText && operator.startsWith('T')
    switch (operator) {
      case 'q':
        this.#depth++
        break
      case 'Q':
        // One too many does nothing.
        this.#depth = Math.max(0, this.#depth - 1)
        break
      case 'BT':
        this.#inText = true
        this.#hasBegun = false
        break
      case 'ET':
        this.#inText = false
        break
      case 'Tj':
      case 'TJ':
      case "'":
      case '"':
        if (this.#hasLetter) this.texts++
        break
      case 'Do':
        this.drawn.set(nameOf(this.#name), (this.drawn.get(nameOf(this.#name)) ?? 0) + 1)
        break
      case 'Tf':
        this.fonts.add(nameOf(this.#name))
        break
      case 'gs':
        this.states.add(nameOf(this.#name))
        break
      case 'scn':
      case 'SCN':
        if (this.#name !== '') this.patterns.add(nameOf(this.#name))
        break
      case 'BI':
        this.#picture()
        break
      default:
        if (/[^!-~]/.test(operator)) this.fault = 'is damaged'
    }
    this.#name = ''
    this.#hasLetter = false
  }

  #picture(): void {
    const tokens = this.#tokens
    const { from } = tokens
    const entries = new Map<string, Value>()
    for (let is = tokens.next(); ; is = tokens.next()) {
      if (is === kind.keyword && tokens.word() === 'ID') break
      if (is !== kind.name) return void (this.fault = 'has a picture whose data do not begin')
      const key = nameOf(tokens.word())
      entries.set(key, tokens.value(tokens.next()))
    }
    const start = tokens.to + 1
    const least = this.#least(entries, start)
    const end = this.#endOf(start, least ?? 0)
    if (end < 0) return void (this.fault = 'has a picture that does not end')
    const data = tokens.bytes.subarray(start, end)
    const clear = least !== undefined && start + least <= end && data.subarray(least).every((byte) => isWhite(byte))
    const apart = clear && (end === start || isWhite(tokens.bytes[end - 1]))
    tokens.to = end + 2
    this.inlines.push({ from, to: tokens.to, entries, data, apart })
  }

  /** Bytes of its data; undefined where only its decoder knows. */
  #least(entries: ReadonlyMap<string, Value>, start: number): number | undefined {
    const [filter] = filtersOf(this.#file, entries, true)
    if (filter === undefined) return plainBytes(entries)
    const rest = this.#tokens.bytes.subarray(start)
    const taken = takenBy(this.#file, filter, rest)
    if (taken === undefined && filter.name !== 'CCITTFaxDecode') this.#inVain += rest.length
    if (this.#inVain > mostInVain) this.fault = 'has pictures that are damaged'
    return taken
  }

  /** Where EI is; -1 where it is not. */
  #endOf(start: number, least: number): number {
    const far = least <= this.#tokens.bytes.length - start ? this.#far.next(start + least) : -1
    return far < 0 ? this.#near.next(start) : far
  }
}

/** Looks for EI from places that go on and on, each byte once. */
class Ends {
  readonly #bytes: Buffer
  #from = Infinity
  #found = -1

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** -1 where none comes. */
  next(from: number): number {
    if (from >= this.#from && (this.#found < 0 || from <= this.#found)) return this.#found
    let at = this.#bytes.indexOf('EI', from)
    while (at >= 0 && !goesOn(this.#bytes, at + 2)) at = this.#bytes.indexOf('EI', at + 1)
    this.#from = from
    return (this.#found = at)
  }
}

const channels: Readonly<Record<string, number>> = { G: 1, DeviceGray: 1, RGB: 3, DeviceRGB: 3, CMYK: 4, DeviceCMYK: 4 }

/** Bytes of a picture without filters; the least where its colours are named elsewhere. */
function plainBytes(entries: ReadonlyMap<string, Value>): number {
  const number = (...keys: string[]): number => keys.map((key) => entries.get(key)).find((value) => typeof value === 'number') ?? 0
  const space = entries.get('CS') ?? entries.get('ColorSpace')
  const mask = entries.get('IM') === true || entries.get('ImageMask') === true
  const bits = mask ? 1 : number('BPC', 'BitsPerComponent') * (space instanceof Name ? (channels[space.text] ?? 1) : 1)
  return Math.ceil((number('W', 'Width') * bits) / 8) * number('H', 'Height')
}

export const readContent = (file: PdfFile, bytes: Buffer): Content => new Reader(file, bytes).read()
