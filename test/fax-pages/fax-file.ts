/** Reads back what was written for the wire: pages of a TIFF as bitmaps; and a folder for the files of a test. */
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bitmap } from '../../daemon/fax/pages/bitmap.ts'
import { decodeT6 } from '../../daemon/fax/pages/t6-decode.ts'
import { readTiff, type TiffPage } from '../../daemon/fax/pages/tiff-read.ts'

export interface ReadPage extends TiffPage {
  readonly bitmap: Bitmap
}

/** Throws when a page is not decoded to its last row. */
export function readFax(path: string): ReadPage[] {
  const file = openSync(path, 'r')
  try {
    return readTiff(file, fstatSync(file).size).pages.map((page) => {
      const strip = page.strips[0] ?? { offset: 0, bytes: 0 }
      const bytes = Buffer.alloc(strip.bytes)
      readSync(file, bytes, 0, strip.bytes, strip.offset)
      const { bitmap, decoded } = decodeT6(bytes, page.width, page.rows)
      if (decoded !== page.rows) throw new Error(`only ${decoded} rows of ${page.rows} could be decoded`)
      return { ...page, bitmap }
    })
  } finally {
    closeSync(file)
  }
}

export const isBlack = (bitmap: Bitmap, x: number, y: number): boolean =>
  ((bitmap.data[y * bitmap.stride + (x >> 3)] as number) & (0x80 >> (x & 7))) !== 0

/** Share of black dots in a box. */
export function blackness(bitmap: Bitmap, left: number, top: number, right: number, bottom: number): number {
  let black = 0
  for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) if (isBlack(bitmap, x, y)) black++
  return black / ((right - left) * (bottom - top))
}

/** A new folder, removed by `remove`. */
export function folder(): { path: string; file(name: string, content: Uint8Array): string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'fax-pages-'))
  return {
    path,
    file: (name, content) => {
      writeFileSync(join(path, name), content)
      return join(path, name)
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
