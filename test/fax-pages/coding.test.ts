/** T.6 and TIFF: what is coded is decoded to the same dots, by us and by libtiff; broken data end in fewer rows, never in a crash. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { createBitmap, type Bitmap } from '../../daemon/fax/pages/bitmap.ts'
import { decodeT6 } from '../../daemon/fax/pages/t6-decode.ts'
import { encodeT6 } from '../../daemon/fax/pages/t6-encode.ts'
import { TiffWriter } from '../../daemon/fax/pages/tiff-write.ts'
import { folder, readFax } from './fax-file.ts'

/** Pages of runs that partly follow the row above, as real ones do: all modes of T.6 come about. */
const bitmaps = (widths: fc.Arbitrary<number>): fc.Arbitrary<Bitmap> =>
  fc
    .record({
      width: widths,
      rows: fc.integer({ min: 1, max: 12 }),
      seed: fc.integer({ min: 1 }),
      density: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    .map(({ width, rows, seed, density }) => {
      let state = seed
      const next = (): number => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return state / 2 ** 32
      }
      const bitmap = createBitmap(width, rows)
      for (let y = 0; y < rows; y++) {
        let black = next() < density
        for (let x = 0; x < width; x++) {
          const above = y > 0 && ((bitmap.data[(y - 1) * bitmap.stride + (x >> 3)] as number) & (0x80 >> (x & 7))) !== 0
          if (y > 0 && next() < 0.9) black = above
          else if (next() < density * 0.5) black = !black
          if (black) bitmap.data[y * bitmap.stride + (x >> 3)]! |= 0x80 >> (x & 7)
        }
      }
      return bitmap
    })

const anyWidth = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constantFrom(1728, 2048, 2432, 5300))

t.test('every page comes back dot by dot', async () => {
  fc.assert(
    fc.property(bitmaps(anyWidth), (bitmap) => {
      const { bitmap: again, decoded } = decodeT6(encodeT6(bitmap), bitmap.width, bitmap.rows)
      return decoded === bitmap.rows && Buffer.compare(again.data, bitmap.data) === 0
    }),
    { numRuns: 1500 },
  )
})

t.test('random and damaged data give at most the rows asked for', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), anyWidth, fc.integer({ min: 1, max: 40 }), (bytes, width, rows) => {
      const { bitmap, decoded } = decodeT6(bytes, width, rows)
      return decoded <= rows && bitmap.data.length === bitmap.stride * rows
    }),
    { numRuns: 3000 },
  )
  fc.assert(
    fc.property(bitmaps(anyWidth), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 }), (bitmap, changes) => {
      const bytes = encodeT6(bitmap)
      for (const [place, value] of changes) bytes[place % bytes.length] = value
      return decodeT6(bytes, bitmap.width, bitmap.rows).decoded <= bitmap.rows
    }),
    { numRuns: 1000 },
  )
})

const hasLibtiff = spawnSync('tiffcp', ['-h']).error === undefined

t.test('libtiff reads the same dots from our files', { skip: hasLibtiff ? false : 'tiffcp of libtiff-tools is not here' }, async (t) => {
  const work = folder()
  t.teardown(work.remove)
  const pages = fc.sample(bitmaps(fc.constantFrom(1728, 8, 1, 77, 2432)), { numRuns: 150, seed: 5 })
  const file = join(work.path, 'pages.tif')
  const writer = new TiffWriter(file, { pages: pages.length, dotsDown: 98 })
  for (const page of pages) writer.add({ width: page.width, rows: page.rows, strip: encodeT6(page) })
  writer.close()
  const plain = join(work.path, 'plain.tif')
  const done = spawnSync('tiffcp', ['-c', 'none', '-r', '9999', file, plain], { encoding: 'utf8' })
  t.equal(done.stderr, '', 'no complaint')
  const bytes = readFileSync(plain)
  let at = 0
  for (const page of pages) {
    at = bytes.indexOf(page.data, at)
    if (at < 0) break
  }
  t.ok(at >= 0, 'all pages, in their order')
  const info = spawnSync('tiffinfo', [file], { encoding: 'utf8' }).stdout
  t.match(info, /Resolution: 204, 98 pixels\/inch/)
  t.match(info, /Photometric Interpretation: min-is-white/)
  t.equal(info.match(/CCITT Group 4/g)?.length, pages.length)
  t.equal(readFax(file).length, pages.length, 'and our own reader finds them')
})
