/** Fax pages in a test: made, written as TIFF, read back as rows of pixels. Received files go through libtiff's `tiffcp`. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

/** 1728 pixels a row, 216 bytes, 1 is black. */
export type Page = Buffer

export const rowBytes = 216

/** Something like text: dark runs that repeat over some rows, a margin, empty lines. Another seed, another page. */
export function makePage(rows: number, seed: number): Page {
  const page = Buffer.alloc(rows * rowBytes)
  let state = seed * 2654435761
  const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 16
  for (let y = 0; y < rows; y++) {
    if (Math.floor(y / 12) % 3 === 2) continue
    if (y % 4 !== 0) page.copy(page, y * rowBytes, (y - 1) * rowBytes, y * rowBytes)
    else for (let x = 20; x < 190; x += 1 + (random() % 9)) page[y * rowBytes + x] = random() & 255
  }
  return page
}

/** Uncompressed, one strip a page, 204 dots per inch across and 196 or 98 down. */
export function writeTiff(file: string, pages: readonly Page[], linesPerInch = 196): void {
  const parts: Buffer[] = [Buffer.from([0x49, 0x49, 42, 0, 0, 0, 0, 0])]
  let at = 8
  let link: [Buffer, number] = [parts[0]!, 4]
  for (const page of pages) {
    const rationals = Buffer.alloc(16)
    for (const [i, value] of [204, 1, linesPerInch, 1].entries()) rationals.writeUInt32LE(value, i * 4)
    const tags: [number, number, number][] = [
      [254, 4, 2],
      [256, 4, 1728],
      [257, 4, page.length / rowBytes],
      [258, 3, 1],
      [259, 3, 1],
      [262, 3, 0],
      [273, 4, at],
      [277, 3, 1],
      [278, 4, page.length / rowBytes],
      [279, 4, page.length],
      [282, 5, at + page.length],
      [283, 5, at + page.length + 8],
      [296, 3, 2],
    ]
    const directory = Buffer.alloc(2 + tags.length * 12 + 4)
    directory.writeUInt16LE(tags.length, 0)
    for (const [i, [tag, type, value]] of tags.entries()) {
      directory.writeUInt16LE(tag, 2 + i * 12)
      directory.writeUInt16LE(type, 4 + i * 12)
      directory.writeUInt32LE(1, 6 + i * 12)
      directory.writeUInt32LE(value, 10 + i * 12)
    }
    link[0].writeUInt32LE(at + page.length + 16, link[1])
    link = [directory, directory.length - 4]
    parts.push(page, rationals, directory)
    at += page.length + 16 + directory.length
  }
  writeFileSync(file, Buffer.concat(parts))
}

/** The pages of any fax TIFF. */
export function readTiff(file: string): Page[] {
  const plain = `${file}.plain`
  execFileSync('tiffcp', ['-c', 'none', '-r', '100000', '-f', 'msb2lsb', file, plain], { stdio: 'ignore' })
  const data = readFileSync(plain)
  const pages: Page[] = []
  for (let at = data.readUInt32LE(4); at !== 0;) {
    const count = data.readUInt16LE(at)
    const tag = (wanted: number): number => {
      for (let i = 0; i < count; i++) {
        const entry = at + 2 + i * 12
        if (data.readUInt16LE(entry) === wanted)
          return data.readUInt16LE(entry + 2) === 3 ? data.readUInt16LE(entry + 8) : data.readUInt32LE(entry + 8)
      }
      return 0
    }
    const page = Buffer.from(data.subarray(tag(273), tag(273) + tag(279)))
    if (tag(262) === 1) for (let i = 0; i < page.length; i++) page[i] = page[i]! ^ 255
    pages.push(page)
    at = data.readUInt32LE(at + 2 + count * 12)
  }
  return pages
}

/** Whether `received` is `sent` below the header line, which is `headerRows` high. */
export function samePixels(received: Page | undefined, sent: Page, headerRows = 32): boolean {
  return (
    received !== undefined &&
    received.length === sent.length + headerRows * rowBytes &&
    received.subarray(headerRows * rowBytes).equals(sent)
  )
}
