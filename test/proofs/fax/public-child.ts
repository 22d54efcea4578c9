/** Draws the first page of PDFs as a fax, in a process of its own: a file may end it. */
import { readFileSync } from 'node:fs'
import { binarise } from '../../../daemon/fax/pages/binarise.ts'
import { createBitmap, type Bitmap } from '../../../daemon/fax/pages/bitmap.ts'
import { lookOver, shadesOf } from '../../../daemon/fax/pages/draw-pages.ts'
import { placePage, type Placement } from '../../../daemon/fax/pages/geometry.ts'
import { PageError } from '../../../daemon/fax/pages/page-error.ts'
import { partsOf } from '../../../daemon/fax/pages/portfolio.ts'

/** Of a page that is longer than a sheet. */
const mostSheets = 4

export interface Drawn {
  readonly sheets: readonly Bitmap[]
  /** Without the margins of the sheets. */
  readonly alone: readonly Bitmap[]
  /** Of the resolution of a fine page: a wide page is made narrower. */
  readonly scale: number
}

export type Answer = Drawn | { readonly refused: string; readonly ended?: true; readonly last?: boolean }

/** As a reader holds it: a page that lies across was turned to lie upright. */
function turnedBack(bitmap: Bitmap): Bitmap {
  const back = createBitmap(bitmap.rows, bitmap.width)
  for (let y = 0; y < bitmap.rows; y++) {
    for (let x = 0; x < bitmap.width; x++) {
      if (((bitmap.data[y * bitmap.stride + (x >> 3)] as number) & (0x80 >> (x & 7))) === 0) continue
      const row = bitmap.width - 1 - x
      back.data[row * back.stride + (y >> 3)]! |= 0x80 >> (y & 7)
    }
  }
  return back
}

function cut(bitmap: Bitmap, { left, width, rows }: Placement): Bitmap {
  const part = createBitmap(width, rows)
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < width; x++) {
      const at = left + x
      if (((bitmap.data[y * bitmap.stride + (at >> 3)] as number) & (0x80 >> (at & 7))) !== 0)
        part.data[y * part.stride + (x >> 3)]! |= 0x80 >> (x & 7)
    }
  }
  return part
}

async function draw(path: string): Promise<Drawn> {
  const bytes = readFileSync(path)
  await lookOver(bytes, 2000)
  const [part] = await partsOf(bytes, 2000, 'refuse')
  const page = part!.pdf.page(0)
  const places = placePage(page.width, page.height)
  const drawn = places.slice(0, mostSheets).map((place) => binarise(shadesOf(page, 0, place), true))
  const upright = (bitmap: Bitmap): Bitmap => (places[0]!.turned ? turnedBack(bitmap) : bitmap)
  const sheets = drawn.map(upright)
  const alone = drawn.map((bitmap, sheet) => upright(cut(bitmap, places[sheet]!)))
  const [first] = places
  const across = first!.turned ? page.height : page.width
  page.close()
  return { sheets, alone, scale: Math.min(1, ((first!.width / 204) * 72) / across) }
}

process.on('message', (path: string) => {
  draw(path).then(
    (drawn) => process.send?.(drawn),
    (error: unknown) => {
      const isClear = error instanceof PageError
      // As for a fax; and what trapped within PDFium is not used again.
      const refused = isClear ? error.message : 'The PDF cannot be drawn; it is probably damaged.'
      process.send?.({ refused, last: !isClear }, () => {
        if (!isClear) process.exit()
      })
    },
  )
})
