/** Writer of fax pages as TIFF: one Group 4 strip per page, in the order of calls; written as it comes, for files of any length. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { dotsAcross, fieldType, compression, tag } from './tiff.ts'

export interface FaxPage {
  readonly width: number
  readonly rows: number
  /** T.6, highest bit first. */
  readonly strip: Uint8Array
}

type Field = readonly [tag: number, type: number, value: number, second?: number]

export class TiffWriter {
  readonly #file: number
  readonly #dotsDown: number
  readonly #pages: number
  #written = 0
  #end = 8
  /** Where the address of the next directory has to be written. */
  #link = 4

  /** `to` is a path, or an empty file that is open; `pages` is what each page says of the whole; `dotsDown` 196 or 98. */
  constructor(to: string | number, options: { pages: number; dotsDown: number }) {
    this.#file = typeof to === 'number' ? to : openSync(to, 'w', 0o600)
    this.#dotsDown = options.dotsDown
    this.#pages = options.pages
    writeSync(this.#file, Uint8Array.of(0x49, 0x49, 42, 0, 0, 0, 0, 0), 0, 8, 0)
  }

  add(page: FaxPage): void {
    const strip = this.#end
    writeSync(this.#file, page.strip, 0, page.strip.length, strip)
    const directory = strip + page.strip.length + (page.strip.length & 1)
    const fields: Field[] = [
      [tag.newSubfileType, fieldType.long, 2],
      [tag.imageWidth, fieldType.long, page.width],
      [tag.imageLength, fieldType.long, page.rows],
      [tag.bitsPerSample, fieldType.short, 1],
      [tag.compression, fieldType.short, compression.group4],
      [tag.photometric, fieldType.short, 0],
      [tag.fillOrder, fieldType.short, 1],
      [tag.stripOffsets, fieldType.long, strip],
      [tag.samplesPerPixel, fieldType.short, 1],
      [tag.rowsPerStrip, fieldType.long, page.rows],
      [tag.stripByteCounts, fieldType.long, page.strip.length],
      [tag.xResolution, fieldType.rational, dotsAcross],
      [tag.yResolution, fieldType.rational, this.#dotsDown],
      [tag.resolutionUnit, fieldType.short, 2],
      [tag.pageNumber, fieldType.short, this.#written, this.#pages],
    ]
    const rationals = directory + 2 + fields.length * 12 + 4
    const bytes = Buffer.alloc(rationals + 16 - directory)
    bytes.writeUInt16LE(fields.length, 0)
    let rational = rationals
    fields.forEach(([number, type, value, second], index) => {
      const at = 2 + index * 12
      bytes.writeUInt16LE(number, at)
      bytes.writeUInt16LE(type, at + 2)
      bytes.writeUInt32LE(second === undefined ? 1 : 2, at + 4)
      if (type === fieldType.rational) {
        bytes.writeUInt32LE(rational, at + 8)
        bytes.writeUInt32LE(value, rational - directory)
        bytes.writeUInt32LE(1, rational - directory + 4)
        rational += 8
      } else if (type === fieldType.short) {
        bytes.writeUInt16LE(value, at + 8)
        if (second !== undefined) bytes.writeUInt16LE(second, at + 10)
      } else {
        bytes.writeUInt32LE(value, at + 8)
      }
    })
    writeSync(this.#file, bytes, 0, bytes.length, directory)
    const address = Buffer.alloc(4)
    address.writeUInt32LE(directory)
    writeSync(this.#file, address, 0, 4, this.#link)
    this.#link = rationals - 4
    this.#end = directory + bytes.length
    this.#written++
  }

  close(): void {
    closeSync(this.#file)
  }
}
