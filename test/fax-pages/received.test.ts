/** A received fax becomes a PDF with the same dots, whatever state its TIFF is in. */
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { createBitmap, type Bitmap } from '../../daemon/fax/pages/bitmap.ts'
import { pdfOfFax } from '../../daemon/fax/pages/pages.ts'
import { openPdf } from '../../daemon/fax/pages/pdfium.ts'
import { encodeT6 } from '../../daemon/fax/pages/t6-encode.ts'
import { readTiff } from '../../daemon/fax/pages/tiff-read.ts'
import { TiffWriter } from '../../daemon/fax/pages/tiff-write.ts'
import { folder } from './fax-file.ts'

function page(number: number): Bitmap {
  const bitmap = createBitmap(1728, 600 + number * 100)
  for (let index = 0; index < bitmap.data.length; index++) bitmap.data[index] = (index * (number + 3)) % 97 === 0 ? 0xf0 : 0
  return bitmap
}

function writeFax(path: string, pages: number, dotsDown = 196): void {
  const writer = new TiffWriter(path, { pages, dotsDown })
  for (let number = 0; number < pages; number++) {
    const bitmap = page(number)
    writer.add({ width: bitmap.width, rows: bitmap.rows, strip: encodeT6(bitmap) })
  }
  writer.close()
}

/** The dots as a reader of PDFs shows them, one for one. */
async function dotsOf(pdf: string, number: number, bitmap: Bitmap): Promise<number> {
  const opened = await openPdf(readFileSync(pdf))
  const drawn = await opened.page(number).draw(bitmap.width, bitmap.rows)
  let different = 0
  drawn.forEach((shade, index) => {
    const x = index % bitmap.width
    const y = Math.floor(index / bitmap.width)
    const black = ((bitmap.data[y * bitmap.stride + (x >> 3)] as number) & (0x80 >> (x & 7))) !== 0
    if (shade < 128 !== black) different++
  })
  return different
}

const work = folder()
t.teardown(work.remove)
const tiff = join(work.path, 'fax.tif')
const pdf = join(work.path, 'fax.pdf')

t.test('pages come out dot by dot, at the size of the paper', async (t) => {
  writeFax(tiff, 3)
  const result = await pdfOfFax(tiff, pdf)
  t.same(result, { pages: 3, whole: true, bytes: readFileSync(pdf).length })
  t.notOk(existsSync(`${pdf}.part`))
  const opened = await openPdf(readFileSync(pdf))
  t.ok(Math.abs(opened.page(0).width - (1728 / 204) * 72) < 0.1)
  t.ok(Math.abs(opened.page(0).height - (600 / 196) * 72) < 0.1)
  for (const number of [0, 1, 2]) t.equal(await dotsOf(pdf, number, page(number)), 0)
})

t.test('bits in reverse order, as the receiving engine writes them, and standard resolution', async (t) => {
  writeFax(tiff, 1, 98)
  const bytes = readFileSync(tiff)
  const file = openSync(tiff, 'r')
  const strip = readTiff(file, bytes.length).pages[0]?.strips[0] ?? { offset: 0, bytes: 0 }
  closeSync(file)
  for (let index = strip.offset; index < strip.offset + strip.bytes; index++) {
    bytes[index] = parseInt((bytes[index] as number).toString(2).padStart(8, '0').split('').toReversed().join(''), 2)
  }
  const directory = bytes.readUInt32LE(4)
  for (let at = directory + 2; ; at += 12) {
    if (bytes.readUInt16LE(at) !== 266) continue
    bytes.writeUInt16LE(2, at + 8)
    break
  }
  writeFileSync(tiff, bytes)
  t.equal((await pdfOfFax(tiff, pdf)).pages, 1)
  t.equal(await dotsOf(pdf, 0, page(0)), 0)
  t.ok(Math.abs((await openPdf(readFileSync(pdf))).page(0).height - (600 / 98) * 72) < 0.1)
})

const hasLibtiff = spawnSync('tiffcp', ['-h']).error === undefined

t.test(
  'T.4 in one and two dimensions, in one strip and in many',
  { skip: hasLibtiff ? false : 'tiffcp of libtiff-tools is not here' },
  async (t) => {
    writeFax(tiff, 1)
    const other = join(work.path, 'other.tif')
    for (const coding of ['g3:1d', 'g3:1d:fill', 'g3:2d', 'g3:2d:fill', 'g4']) {
      for (const rows of ['9999', '128']) {
        t.equal(spawnSync('tiffcp', ['-c', coding, '-r', rows, tiff, other]).status, 0)
        t.match(await pdfOfFax(other, pdf), { pages: 1, whole: true })
        t.ok((await dotsOf(pdf, 0, page(0))) < 1728 * 5, `${coding}, strips of ${rows} rows`)
      }
    }
  },
)

t.test('of a file that broke off the whole pages are kept, and it is said', async (t) => {
  writeFax(tiff, 3)
  const { length } = readFileSync(tiff)
  truncateSync(tiff, length - 100)
  t.match(await pdfOfFax(tiff, pdf), { pages: 2, whole: false })
  for (const number of [0, 1]) t.equal(await dotsOf(pdf, number, page(number)), 0)
  truncateSync(tiff, 8)
  writeFileSync(pdf, 'kept')
  t.same(await pdfOfFax(tiff, pdf), { pages: 0, whole: false, bytes: 0 })
  t.equal(readFileSync(pdf, 'utf8'), 'kept', 'nothing is written for nothing')
  writeFileSync(tiff, '')
  t.equal((await pdfOfFax(tiff, pdf)).pages, 0)
})

t.test('every cut and every change of bytes ends in a PDF or in none, in bounded size', async (t) => {
  writeFax(tiff, 3)
  const original = readFileSync(tiff)
  const directories = [...original.keys()].filter((at) => at > 8 && original.readUInt16LE(Math.min(at, original.length - 2)) === 15)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(), fc.nat(200), fc.constantFrom(0, 1, 2, 4, 8, 127, 255), fc.boolean()), { minLength: 1, maxLength: 6 }),
      fc.option(fc.nat(original.length)),
      async (changes, cut) => {
        const bytes = Buffer.from(original)
        for (const [place, near, value, anywhere] of changes) {
          // Most changes hit the directories, where the addresses are.
          const at = anywhere ? place : (directories[place % directories.length] ?? 0) + near
          bytes[at % bytes.length] = value
        }
        writeFileSync(tiff, cut === null ? bytes : bytes.subarray(0, cut))
        const result = await pdfOfFax(tiff, pdf)
        return result.pages <= 3 && result.bytes < original.length + 20_000
      },
    ),
    { numRuns: 400 },
  )
  // A directory that points to itself.
  const loop = Buffer.from(original)
  const first = loop.readUInt32LE(4)
  loop.writeUInt32LE(first, first + 2 + loop.readUInt16LE(first) * 12)
  writeFileSync(tiff, loop)
  t.match(await pdfOfFax(tiff, pdf), { pages: 1, whole: false })
})
