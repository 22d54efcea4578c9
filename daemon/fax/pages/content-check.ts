/**
 * Whether a document can be drawn whole, read by ourselves: PDFium stops within a content that is damaged and says nothing, and what it
 * never saw it cannot name. Looked at is what is used: pages, the forms, patterns and letters drawn by operators (Type 3) in them, notes.
 */
import { readContent, type Content, type InlinePicture } from './content-stream.ts'
import { PageError } from './page-error.ts'
import { PdfFile, isStream, type Change, type Stream } from './pdf-file.ts'
import { undo } from './pdf-filters.ts'
import { Name, Ref, written, type Dictionary, type Value } from './pdf-tokens.ts'
import { missingInPicture } from './picture-data.ts'

/** Texts and pictures that a page asks for, those of its forms included. */
export interface Shown {
  readonly texts: number
  readonly pictures: number
}

export interface Asked extends Shown {
  /** `/UserUnit`: its units are so many times 1/72 inch (table 30). */
  readonly unit: number
  /** Some of its content does not end what it began, though nothing of it is cut off. */
  readonly isOpen: boolean
  /** A sentence's end about a picture whose data end early; takes as long as unpacking them. */
  damagedPicture(): string | undefined
}

export interface Checked {
  readonly pages: readonly Asked[]
  /** The document with pictures within its content written so that PDFium finds their ends, and fonts with their spaces; undefined where nothing was to be repaired. */
  readonly repaired: Buffer | undefined
  /** The catalog. */
  readonly root: Dictionary
}

const nothing: Shown = { texts: 0, pictures: 0 }
const mostPages = 10_000
/** All that is unpacked of a document. */
const mostBytes = 1024 * 1024 * 1024
/** What of an end is looked for in the file. */
const longestTail = 64
/** Without a line end, at the end of a stream. */
const longestComment = 4096

class Check {
  readonly #file: PdfFile
  /** By number of the object. */
  readonly #streams = new Map<number, Shown>()
  /** Those whose data nobody has looked at: of the page, without those of pages before. */
  pictures: Stream[] = []
  readonly #seen = new Set<number>()
  readonly #repairs = new Map<number, Change>()
  #bytes = 0

  /** Of the page: see `Asked`. */
  isOpen = false
  readonly #original: Buffer

  constructor(file: PdfFile, original: Buffer) {
    this.#file = file
    this.#original = original
  }

  get repaired(): Buffer | undefined {
    return this.#repairs.size === 0 ? undefined : this.#file.with([...this.#repairs.values()])
  }

  /** Throws Fault. */
  page(page: Dictionary, resources: Dictionary): Shown {
    const file = this.#file
    const contents = page.get('Contents')
    if (contents instanceof Ref && file.at(contents) === null) throw new Fault('has content that is not there')
    const streams = file.list(contents).map((value) => {
      const stream = file.stream(value)
      if (stream === undefined) throw new Fault('has content that is not there')
      return stream
    })
    const asked = this.#content(streams, resources)
    for (const note of file.list(page.get('Annots'))) this.#note(file.dictionary(note))
    return asked
  }

  #note(note: Dictionary | undefined): void {
    const flags = this.#file.number(note?.get('F')) ?? 0
    if (note === undefined || (flags & 2) !== 0 || (flags & 4) === 0) return
    const looks = this.#file.at(this.#file.dictionary(note.get('AP'))?.get('N'))
    const state = this.#file.name(note.get('AS'))
    const look = looks instanceof Map ? this.#file.stream((looks as Dictionary).get(state)) : isStream(looks) ? looks : undefined
    if (look !== undefined) this.#form(look, new Map())
  }

  #unpacked(stream: Stream): Buffer {
    const { bytes, left, whole } = undo(this.#file, stream)
    this.#bytes += bytes.length
    if (this.#bytes > mostBytes) throw new RangeError('too many bytes')
    if (!whole) throw new Fault('has content with incomplete or damaged data')
    if (left !== '') throw new Fault(`has content in a coding that cannot be read (${left})`)
    return bytes
  }

  /** One content, in one stream or in several that follow each other. */
  #content(streams: readonly Stream[], resources: Dictionary): Shown {
    const parts = streams.map((stream) => this.#unpacked(stream))
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')]))
    const content = readContent(this.#file, bytes)
    if (content.fault !== undefined) throw new Fault(`has content that ${content.fault}`)
    if (content.breaksOff) this.#judgeEnd(parts.findLast((part) => part.length > 0) ?? bytes)
    this.isOpen ||= content.open
    this.#repair(streams, parts, content.inlines)
    return this.#used(content, resources)
  }

  /** The maker's own carelessness, or its end is missing: a coding that came to its end had all of it. `last`: of several streams. */
  #judgeEnd(last: Buffer): void {
    const tail = last.subarray(-longestTail)
    if (this.#original.includes(tail)) throw new Fault('has content that ends too early')
  }

  #repair(streams: readonly Stream[], parts: readonly Buffer[], inlines: readonly InlinePicture[]): void {
    const joined = inlines.filter(({ apart }) => !apart)
    let start = 0
    parts.forEach((part, index) => {
      const end = start + part.length
      const pieces: Buffer[] = []
      let at = start
      for (const { from, to, entries, data } of joined) {
        if (from < start || from >= end) continue
        if (to > end) throw new Fault('has a picture in two contents')
        pieces.push(part.subarray(at - start, from - start), Buffer.from(asText(entries, data), 'latin1'))
        at = to
      }
      pieces.push(part.subarray(at - start))
      // PDFium puts a space between two streams, which ends no comment.
      if (index < parts.length - 1 && lastLine.exec(part.toString('latin1', Math.max(0, part.length - longestComment)))?.[0].includes('%'))
        pieces.push(Buffer.from('\n'))
      const { number, dictionary } = streams[index]!
      if (pieces.length > 1) this.#repairs.set(number, { number, dictionary, data: Buffer.concat(pieces) })
      start = end + 1
    })
  }

  #used({ texts, inlines, drawn, fonts, states, patterns }: Content, resources: Dictionary): Shown {
    const file = this.#file
    const of = (kind: string, name: string): Value => file.dictionary(resources.get(kind))?.get(name) ?? null
    let sum: Shown = { texts, pictures: inlines.length }
    for (const [name, times] of drawn) {
      const stream = file.stream(of('XObject', name))
      if (stream === undefined) continue
      const own = file.name(stream.dictionary.get('Subtype')) === 'Image' ? this.#picture(stream) : this.#form(stream, resources)
      sum = { texts: sum.texts + own.texts * times, pictures: sum.pictures + own.pictures * times }
    }
    for (const name of fonts) this.#font(of('Font', name), resources)
    for (const name of states) {
      const group = file.stream(file.dictionary(file.dictionary(of('ExtGState', name))?.get('SMask'))?.get('G'))
      if (group !== undefined) this.#form(group, resources)
    }
    for (const name of patterns) {
      const pattern = file.stream(of('Pattern', name))
      if (pattern !== undefined) this.#form(pattern, resources)
    }
    return sum
  }

  #form(stream: Stream, outer: Dictionary): Shown {
    const known = this.#streams.get(stream.number)
    if (known !== undefined) return known
    // One that draws itself draws nothing more.
    this.#streams.set(stream.number, nothing)
    const asked = this.#content([stream], this.#file.dictionary(stream.dictionary.get('Resources')) ?? outer)
    this.#streams.set(stream.number, asked)
    return asked
  }

  #font(value: Value, outer: Dictionary): void {
    const font = this.#file.dictionary(value)
    if (font === undefined) return
    if (this.#file.name(font.get('Subtype')) !== 'Type3') return this.#spaces(value, font)
    const resources = this.#file.dictionary(font.get('Resources')) ?? outer
    for (const glyph of this.#file.dictionary(font.get('CharProcs'))?.values() ?? []) {
      const stream = this.#file.stream(glyph)
      if (stream !== undefined) this.#form(stream, resources)
    }
  }

  /** A space that is named as no letter has the width of none in PDFium, where the font has no widths: words would run together. */
  #spaces(value: Value, font: Dictionary): void {
    const file = this.#file
    const encoding = font.has('Widths') ? undefined : file.dictionary(font.get('Encoding'))
    const owner = font.get('Encoding') instanceof Ref ? font.get('Encoding') : value
    if (encoding === undefined || !(owner instanceof Ref)) return
    const differences = file.list(encoding.get('Differences'))
    let code = 0
    const names = differences.map((entry) => {
      if (typeof entry === 'number') code = entry - 1
      else code += 1
      return entry instanceof Name && entry.text === '.notdef' && code === space ? new Name('space') : entry
    })
    if (names.every((name, index) => name === differences[index])) return
    const repaired = new Map([...encoding, ['Differences', names] as const])
    const dictionary = owner === value ? new Map([...font, ['Encoding', repaired] as const]) : repaired
    this.#repairs.set(owner.number, { number: owner.number, dictionary })
  }

  #picture(stream: Stream): Shown {
    if (!this.#seen.has(stream.number)) this.pictures.push(stream)
    this.#seen.add(stream.number)
    return { texts: 0, pictures: 1 }
  }
}

const lastLine = /[^\r\n]*$/
const space = 32

/** A sentence's end about a page. */
class Fault extends Error {}

/** Filters of an inline picture under a first one whose end no reader can miss (7.4.2). */
function asText(entries: ReadonlyMap<string, Value>, data: Buffer): string {
  const own = new Map(entries)
  const list = (value: Value | undefined): Value[] => (value === undefined ? [] : Array.isArray(value) ? [...(value as Value[])] : [value])
  const filters = list(own.get('F') ?? own.get('Filter'))
  const parameters = list(own.get('DP') ?? own.get('DecodeParms'))
  for (const key of ['F', 'Filter', 'DP', 'DecodeParms']) own.delete(key)
  own.set('F', [new Name('AHx'), ...filters])
  if (parameters.length > 0) own.set('DP', [null, ...parameters])
  const words = [...own].map(([key, value]) => `${written(new Name(key))} ${written(value)}`)
  return `BI ${words.join(' ')} ID ${data.toString('hex')}> EI`
}

/** The pages as they follow each other, with the resources that hold on each (7.7.3.4). */
function* pagesOf(file: PdfFile): Generator<{ page: Dictionary; resources: Dictionary }> {
  const seen = new Set<number>()
  const none: Dictionary = new Map()
  const root = file.dictionary(file.trailer.get('Root'))
  const open: { node: Value; resources: Dictionary }[] = [{ node: root?.get('Pages') ?? null, resources: none }]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { node, resources } = at
    if (node instanceof Ref && seen.has(node.number)) continue
    if (node instanceof Ref) seen.add(node.number)
    const page = file.dictionary(node)
    if (page === undefined) continue
    const own = file.dictionary(page.get('Resources')) ?? resources
    const kids = file.at(page.get('Kids'))
    if (!Array.isArray(kids)) yield { page, resources: own }
    else for (const kid of (kids as readonly Value[]).toReversed()) open.push({ node: kid, resources: own })
  }
}

/** `original`: the file as it came. Throws PageError with the number of the page. */
export function checkContent(file: PdfFile, original: Buffer): Checked {
  const check = new Check(file, original)
  const pages: Asked[] = []
  for (const { page, resources } of pagesOf(file)) {
    if (pages.length >= mostPages) break
    try {
      const unit = file.number(page.get('UserUnit')) ?? 1
      check.isOpen = false
      check.pictures = []
      const shown = check.page(page, resources)
      const { pictures, isOpen } = check
      const damagedPicture = (): string | undefined => firstOf(pictures, (picture) => missingInPicture(file, picture))
      pages.push({ ...shown, unit: unit > 0 ? unit : 1, isOpen, damagedPicture })
    } catch (error) {
      if (error instanceof Fault) {
        throw new PageError('pdf_unreadable', `Page ${pages.length + 1} of the PDF ${error.message}; part of it would be missing.`)
      }
      if (!(error instanceof RangeError)) throw error
      throw new PageError('pdf_unreadable', 'The PDF needs too much memory to draw, such as a picture of giant size.', { cause: error })
    }
  }
  return { pages, repaired: check.repaired, root: file.dictionary(file.trailer.get('Root')) ?? new Map() }
}

function firstOf<T>(all: readonly T[], of: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const found = of(one)
    if (found !== undefined) return found
  }
  return undefined
}
