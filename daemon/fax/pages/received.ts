/** A received fax as PDF: each strip of the TIFF file is taken over as it is (CCITTFaxDecode), nothing is decoded or held whole. */
import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readTiff, type Strip, type TiffPage } from './tiff-read.ts'

export interface FaxPdf {
  readonly pages: number
  /** False when the TIFF file broke off or had a damaged page: the PDF has those that were whole. */
  readonly whole: boolean
  readonly bytes: number
}

const chunk = 65_536
const mirrored = Uint8Array.from({ length: 256 }, (_, byte) => {
  let result = 0
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) result |= 0x80 >> bit
  return result
})

class PdfWriter {
  readonly #file: FileHandle
  readonly #places: number[] = []
  #at = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  get length(): number {
    return this.#at
  }

  begin(): Promise<void> {
    return this.write('%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n')
  }

  async write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data, 'latin1') : data
    for (let done = 0; done < bytes.length;) done += (await this.#file.write(bytes, done, bytes.length - done)).bytesWritten
    this.#at += bytes.length
  }

  /** Begins object `number`; objects may come in any order. */
  object(number: number, content: string): Promise<void> {
    this.#places[number] = this.#at
    return this.write(`${number} 0 obj\n${content}\n`)
  }

  end(): Promise<void> {
    return this.write('endobj\n')
  }

  async finish(): Promise<void> {
    const start = this.#at
    const count = this.#places.length
    const lines = this.#places.slice(1).map((place) => `${String(place).padStart(10, '0')} 00000 n \n`)
    await this.write(`xref\n0 ${count}\n0000000000 65535 f \n${lines.join('')}`)
    await this.write(`trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`)
  }
}

function decodeParameters(page: TiffPage, strip: Strip): string {
  const two = page.compression === 4 ? -1 : page.compression === 3 && (page.t4Options & 1) !== 0 ? 4 : 0
  const aligned = page.compression === 2 ? ' /EncodedByteAlign true /EndOfBlock false' : ''
  const ends = page.compression === 3 ? ' /EndOfLine true' : ''
  const black = page.whiteIsZero ? '' : ' /BlackIs1 true'
  return `<< /K ${two} /Columns ${page.width} /Rows ${strip.rows}${aligned}${ends}${black} >>`
}

async function copyStrip(input: FileHandle, output: PdfWriter, strip: Strip, reversed: boolean): Promise<void> {
  const buffer = Buffer.alloc(Math.min(chunk, strip.bytes))
  for (let done = 0; done < strip.bytes;) {
    const { bytesRead: got } = await input.read(buffer, 0, Math.min(chunk, strip.bytes - done), strip.offset + done)
    if (got === 0) throw new Error('the TIFF file became shorter while it was read')
    const part = buffer.subarray(0, got)
    if (reversed) for (let index = 0; index < got; index++) part[index] = mirrored[part[index] as number] as number
    await output.write(part)
    done += got
  }
}

/** Rounded down: readers round up to whole dots, and would add a row. */
const points = (dots: number, perInch: number): number => Math.min(Math.floor((dots / perInch) * 720_000) / 10_000, 14_400)

/** One page: objects `first` (page), `first + 1` (contents) and one image per strip. Gives the number of the next free object. */
async function writePage(input: FileHandle, output: PdfWriter, page: TiffPage, first: number): Promise<number> {
  const width = points(page.width, page.across)
  const height = points(page.rows, page.down)
  let top = height
  const drawn: string[] = []
  for (const [index, strip] of page.strips.entries()) {
    const number = first + 2 + index
    const high = (strip.rows / page.rows) * height
    top -= high
    drawn.push(`q ${width} 0 0 ${high.toFixed(4)} 0 ${Math.max(top, 0).toFixed(4)} cm /S${index} Do Q`)
    await output.object(
      number,
      `<< /Type /XObject /Subtype /Image /Width ${page.width} /Height ${strip.rows} /BitsPerComponent 1 /ColorSpace /DeviceGray ` +
        `/Filter /CCITTFaxDecode /DecodeParms ${decodeParameters(page, strip)} /Length ${strip.bytes} >>\nstream`,
    )
    await copyStrip(input, output, strip, page.reversed)
    await output.write('\nendstream\n')
    await output.end()
  }
  const images = page.strips.map((_, index) => `/S${index} ${first + 2 + index} 0 R`).join(' ')
  await output.object(
    first,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${first + 1} 0 R /Resources << /XObject << ${images} >> >> >>`,
  )
  await output.end()
  const contents = drawn.join('\n')
  await output.object(first + 1, `<< /Length ${contents.length} >>\nstream\n${contents}\nendstream`)
  await output.end()
  return first + 2 + page.strips.length
}

async function writePdf(input: FileHandle, pages: readonly TiffPage[], path: string): Promise<number> {
  const part = `${path}.part`
  const file = await open(part, 'w', 0o600)
  try {
    const output = new PdfWriter(file)
    await output.begin()
    const numbers: number[] = []
    let next = 3
    for (const page of pages) {
      numbers.push(next)
      next = await writePage(input, output, page, next)
    }
    await output.object(1, '<< /Type /Catalog /Pages 2 0 R >>')
    await output.end()
    await output.object(2, `<< /Type /Pages /Count ${numbers.length} /Kids [${numbers.map((number) => `${number} 0 R`).join(' ')}] >>`)
    await output.end()
    await output.finish()
    await file.sync()
    await rename(part, path)
    return output.length
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/**
 * Writes the pages of `tiff` that are whole to `pdf`, which is complete and on the disk when this resolves. No page that is whole:
 * nothing is written and `pages` is 0. Throws only what the file system throws.
 */
export async function pdfOfFax(tiff: string, pdf: string): Promise<FaxPdf> {
  const input = await open(tiff, 'r')
  try {
    const contents = readTiff(input.fd, (await input.stat()).size)
    if (contents.pages.length === 0) return { pages: 0, whole: false, bytes: 0 }
    const bytes = await writePdf(input, contents.pages, pdf)
    await syncFolder(dirname(pdf))
    return { pages: contents.pages.length, whole: contents.whole, bytes }
  } finally {
    await input.close()
  }
}
