/**
 * Notes and form fields that bring no drawing of their own (`/AP`, ISO 32000-1, 12.5.5) and that PDFium does not draw, or not whole:
 * selected radio buttons, text boxes (FreeText), stamps, lines and polygons. Each gets a plain one. Only what prints is asked for.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../base/root.ts'
import { fallbackFont } from './fallback-font.ts'
import type { Bounds, Where } from './page-objects.ts'
import type { Pdfium } from './pdfium-module.ts'
import { wrap } from './cover.ts'

/** FPDF_ANNOT_* of fpdf_annot.h. */
const kind = { freeText: 3, line: 4, polygon: 7, polyLine: 8, stamp: 13, widget: 20 } as const
/** FPDF_ANNOT_FLAG_*. */
const flag = { hidden: 2, print: 4, noView: 32 } as const
/** Notes that mark the page itself: from FreeText to Ink; not links, sticky notes and fields. */
const marks = new Set([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
const normalAppearance = 0
const mostNotes = 10_000
/** Operators that leave ink (ISO 32000-1, annex A). */
const painting = /(?:^|[\s\])>])(?:T[jJ]|['"]|Do|[fbB]\*?|[FSs]|sh|EI)(?=\s|$)/

class Note {
  readonly #pdfium: Pdfium
  readonly #handle: number

  constructor(pdfium: Pdfium, handle: number) {
    this.#pdfium = pdfium
    this.#handle = handle
  }

  get subtype(): number {
    return this.#pdfium.call('FPDFAnnot_GetSubtype', this.#handle)
  }

  get flags(): number {
    return this.#pdfium.call('FPDFAnnot_GetFlags', this.#handle)
  }

  set flags(flags: number) {
    this.#pdfium.call('FPDFAnnot_SetFlags', this.#handle, flags)
  }

  has(key: string): boolean {
    return this.#pdfium.withText(key, 'utf8', (name) => this.#pdfium.call('FPDFAnnot_HasKey', this.#handle, name)) !== 0
  }

  /** A string or name of its dictionary. */
  text(key: string): string {
    const pdfium = this.#pdfium
    return pdfium.withText(key, 'utf8', (name) =>
      pdfium.textFrom((buffer, bytes) => pdfium.call('FPDFAnnot_GetStringValue', this.#handle, name, buffer, bytes)),
    )
  }

  /** It has no drawing, or one that leaves nothing: `/AP` without `/N`, an empty one, one of marks alone. */
  get isBlank(): boolean {
    if (!this.has('AP')) return true
    const content = this.#pdfium.textFrom((buffer, bytes) =>
      this.#pdfium.call('FPDFAnnot_GetAP', this.#handle, normalAppearance, buffer, bytes),
    )
    return !painting.test(content)
  }

  /** Takes a drawing away that leaves nothing, so that PDFium makes one. */
  dropDrawing(): void {
    this.#pdfium.call('FPDFAnnot_SetAP', this.#handle, normalAppearance, 0)
  }

  get box(): Bounds {
    const found = this.#pdfium.floats(4, ([to = 0]) => this.#pdfium.call('FPDFAnnot_GetRect', this.#handle, to)) ?? [0, 0, 0, 0]
    // FS_RECTF: left, top, right, bottom.
    const [left = 0, top = 0, right = 0, bottom = 0] = found
    return { left: Math.min(left, right), right: Math.max(left, right), bottom: Math.min(top, bottom), top: Math.max(top, bottom) }
  }

  /** Points as x, y, x, y... */
  get ends(): number[] {
    return this.#pdfium.floats(4, ([to = 0]) => this.#pdfium.call('FPDFAnnot_GetLine', this.#handle, to, to + 8)) ?? []
  }

  get vertices(): number[] {
    const count = Math.min(10_000, this.#pdfium.call('FPDFAnnot_GetVertices', this.#handle, 0, 0))
    return this.#pdfium.floats(count * 2, ([to = 0]) => this.#pdfium.call('FPDFAnnot_GetVertices', this.#handle, to, count)) ?? []
  }

  /** Drawn by operators of a content stream in coordinates of the page. */
  drawAs(content: string): void {
    this.#pdfium.withText(content, 'utf16le', (text) => this.#pdfium.call('FPDFAnnot_SetAP', this.#handle, normalAppearance, text))
  }
}

const fixed = (value: number): string => value.toFixed(2)

function path(points: readonly number[], closed: boolean): string {
  const steps: string[] = []
  for (let at = 0; at + 1 < points.length; at += 2) steps.push(`${fixed(points[at]!)} ${fixed(points[at + 1]!)} ${at === 0 ? 'm' : 'l'}`)
  return `q 0 G 1 w ${steps.join(' ')} ${closed ? 's' : 'S'} Q`
}

const frame = ({ left, right, bottom, top }: Bounds, width: number): string =>
  `q 0 G ${width} w ${fixed(left + width / 2)} ${fixed(bottom + width / 2)} ${fixed(right - left - width)} ${fixed(top - bottom - width)} re S Q`

/** FPDF_FONT_TRUETYPE. */
const trueType = 2

/** Puts lines of text on a page, on top of what is there. */
class Writer {
  readonly #pdfium: Pdfium
  readonly #where: Where
  readonly #fonts = new Map<string, number>()

  constructor(pdfium: Pdfium, where: Where) {
    this.#pdfium = pdfium
    this.#where = where
  }

  #fontFor(text: string): number {
    const latin = /^[\x20-\x7e\u00a0-\u00ff]*$/.test(text)
    const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u.test(text)
    const name = latin ? 'latin' : eastAsian && fallbackFont() !== null ? 'eastAsian' : 'other'
    const known = this.#fonts.get(name)
    if (known !== undefined) return known
    const font = name === 'latin' ? this.#standardFont() : this.#load(name === 'other' ? readFileSync(ownFont) : fallbackFont()!)
    this.#fonts.set(name, font)
    return font
  }

  #standardFont(): number {
    return this.#pdfium.withText('Helvetica', 'utf8', (name) => this.#pdfium.call('FPDFText_LoadStandardFont', this.#where.document, name))
  }

  #load(file: Buffer): number {
    return this.#pdfium.with(file.length, (bytes) => {
      this.#pdfium.bytes.set(file, bytes)
      return this.#pdfium.call('FPDFText_LoadFont', this.#where.document, bytes, file.length, trueType, 1)
    })
  }

  #line(text: string, size: number): number {
    const object = this.#pdfium.call('FPDFPageObj_CreateTextObj', this.#where.document, this.#fontFor(text), size)
    this.#pdfium.withText(text, 'utf16le', (value) => this.#pdfium.call('FPDFText_SetText', object, value))
    return object
  }

  #widthOf(object: number): number {
    const [left = 0, , right = 0] = this.#pdfium.floats(4, (to) => this.#pdfium.call('FPDFPageObj_GetBounds', object, ...to)) ?? []
    return right - left
  }

  width(text: string, size: number): number {
    const object = this.#line(text, size)
    const width = this.#widthOf(object)
    this.#pdfium.call('FPDFPageObj_Destroy', object)
    return width
  }

  /** A black circle, filled or as a ring of a point. */
  circle(x: number, y: number, radius: number, filled: boolean): void {
    const pdfium = this.#pdfium
    // A quarter by one curve of Bézier.
    const arm = radius * 0.5523
    const path = pdfium.call('FPDFPageObj_CreateNewPath', x + radius, y)
    const quarters = [
      [radius, arm, arm, radius, 0, radius],
      [-arm, radius, -radius, arm, -radius, 0],
      [-radius, -arm, -arm, -radius, 0, -radius],
      [arm, -radius, radius, -arm, radius, 0],
    ]
    for (const quarter of quarters) {
      pdfium.call('FPDFPath_BezierTo', path, ...quarter.map((value, index) => value + (index % 2 === 0 ? x : y)))
    }
    pdfium.call('FPDFPath_Close', path)
    pdfium.call('FPDFPageObj_SetFillColor', path, 0, 0, 0, 255)
    pdfium.call('FPDFPageObj_SetStrokeColor', path, 0, 0, 0, 255)
    pdfium.call('FPDFPageObj_SetStrokeWidth', path, 1)
    pdfium.call('FPDFPath_SetDrawMode', path, filled ? windingFill : 0, filled ? 0 : 1)
    pdfium.call('FPDFPage_InsertObject', this.#where.page, path)
  }

  put(text: string, size: number, x: number, y: number): void {
    if (text.trim() === '') return
    const object = this.#line(text, size)
    this.#pdfium.call('FPDFPageObj_Transform', object, 1, 0, 0, 1, x, y)
    this.#pdfium.call('FPDFPage_InsertObject', this.#where.page, object)
  }
}

/** FPDF_FILLMODE_WINDING. */
const windingFill = 2

const ownFont = join(root, 'daemon/fax/pages/font/DejaVuSans.ttf')
const smallest = 6
const lineHeight = 1.2

/** All of its text, in letters of its size, or smaller ones where the box is too small; what still has no room stands below it. */
function writeBox(note: Note, writer: Writer): string {
  const { box } = note
  const asked = Number(/([\d.]+)\s+Tf/.exec(note.text('DA'))?.[1] ?? 0) || 12
  const text = note.text('Contents').replaceAll(/\r\n?/g, '\n')
  const linesAt = (size: number): string[] =>
    text.split('\n').flatMap((line) => wrap(line, Math.max(size, box.right - box.left - 4), (part) => writer.width(part, size)))
  let size = Math.min(asked, 72)
  let lines = linesAt(size)
  while (size > smallest && lines.length * size * lineHeight > box.top - box.bottom - 2) lines = linesAt((size -= 1))
  lines.forEach((line, index) => writer.put(line, size, box.left + 2, box.top - 2 - size * (0.9 + index * lineHeight)))
  return frame(box, 0.75)
}

/** Its name in a frame: NotApproved is NOT APPROVED. */
function writeStamp(note: Note, writer: Writer): string {
  const { box } = note
  const name = (note.text('Name') || note.text('Contents') || 'Draft')
    .replace(/^SB/, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toUpperCase()
  const widest = (box.right - box.left) * 0.86
  const size = Math.max(smallest, Math.min((box.top - box.bottom) * 0.55, (widest * 10) / Math.max(1, writer.width(name, 10))))
  const x = (box.left + box.right - writer.width(name, size)) / 2
  writer.put(name, size, x, (box.bottom + box.top) / 2 - size * 0.36)
  return frame(box, 2)
}

/** A radio button that is on: a ring and a dot on the page itself. Those that are off are drawn by PDFium. */
function select(note: Note, writer: Writer): void {
  const state = note.text('AS')
  if (state === '' || state === 'Off') return
  const { left, right, bottom, top } = note.box
  const radius = Math.max(1, Math.min(right - left, top - bottom) / 2 - 1.5)
  writer.circle((left + right) / 2, (bottom + top) / 2, radius, false)
  writer.circle((left + right) / 2, (bottom + top) / 2, radius * 0.55, true)
  // PDFium would draw a pale box in its place.
  note.flags |= flag.hidden
}

function drawingOf(note: Note, writer: Writer): string | undefined {
  switch (note.subtype) {
    case kind.freeText:
      return note.text('Contents') === '' ? undefined : writeBox(note, writer)
    case kind.stamp:
      return writeStamp(note, writer)
    case kind.line:
      return path(note.ends, false)
    case kind.polygon:
      return path(note.vertices, true)
    case kind.polyLine:
      return path(note.vertices, false)
    default:
      return undefined
  }
}

/** FPDF_FORMFIELD_RADIOBUTTON, and _COMBOBOX, _LISTBOX, _TEXTFIELD. */
const radioButton = 3
const withValue = new Set([4, 5, 6])

function drawWidget(note: Note, writer: Writer, fieldType: number): void {
  const { flags } = note
  // A field that is for print only would be left out as one that is not for the screen.
  if ((flags & flag.noView) !== 0 && (flags & flag.print) !== 0) note.flags = flags & ~flag.noView
  if (!note.isBlank) return
  if (fieldType === radioButton) select(note, writer)
  else if (withValue.has(fieldType) && note.has('AP')) note.dropDrawing()
}

function drawNote(note: Note, writer: Writer): void {
  if ((note.flags & flag.print) === 0 || !note.isBlank) return
  const content = drawingOf(note, writer)
  if (content !== undefined) note.drawAs(content)
}

function eachNote(pdfium: Pdfium, page: number, use: (note: Note, handle: number) => void): void {
  const count = Math.min(mostNotes, pdfium.call('FPDFPage_GetAnnotCount', page))
  for (let index = 0; index < count; index++) {
    const handle = pdfium.call('FPDFPage_GetAnnot', page, index)
    if (handle === 0) continue
    const note = new Note(pdfium, handle)
    if ((note.flags & flag.hidden) === 0) use(note, handle)
    pdfium.call('FPDFPage_CloseAnnot', handle)
  }
}

/** Before the form's own drawing begins (FORM_OnAfterLoadPage). `form`: its handle. */
export function drawMissingNotes(pdfium: Pdfium, where: Where, form: number): void {
  const writer = new Writer(pdfium, where)
  eachNote(pdfium, where.page, (note, handle) => {
    if (note.subtype === kind.widget) drawWidget(note, writer, pdfium.call('FPDFAnnot_GetFormFieldType', form, handle))
    else drawNote(note, writer)
  })
}

/** Notes that a reader shows and does not print, which is what their maker wants, knowingly or not. */
export function notesForScreen(pdfium: Pdfium, page: number): number {
  let count = 0
  eachNote(pdfium, page, (note) => {
    if ((note.flags & (flag.print | flag.noView)) === 0 && marks.has(note.subtype)) count++
  })
  return count
}
