/**
 * What reads documents of strangers: PDFs through the limited child, each of which has to become pages or a clean refusal within
 * the limits; and received TIFF files through the writer of PDFs and the decoder of T.6, which trust no byte.
 */
import { closeSync, fstatSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { createBitmap } from '../../../daemon/fax/pages/bitmap.ts'
import { inspectPdf, PageError, pdfOfFax, renderJob, StarvedError } from '../../../daemon/fax/pages/pages.ts'
import { decodeT6 } from '../../../daemon/fax/pages/t6-decode.ts'
import { encodeT6 } from '../../../daemon/fax/pages/t6-encode.ts'
import { readTiff } from '../../../daemon/fax/pages/tiff-read.ts'
import { TiffWriter } from '../../../daemon/fax/pages/tiff-write.ts'
import { readFax } from '../../fax-pages/fax-file.ts'
import { childrenOf } from '../../harness/processes.ts'
import type { FaxFuzzOptions } from './fax.ts'
import { corpus, damagedPdf } from './pdf-cases.ts'
import { Random } from '../../../scripts/cli/selftest/corpus.ts'

const limits = { pageMilliseconds: 4000, totalMilliseconds: 8000, mostPages: 10 }
/** A starved child may have its time three times; then the machine may be busy. */
const mostMs = limits.totalMilliseconds * 3 + 15_000
/** Of data the kernel allows 1,024 MB; the program's own text comes on top. */
const mostChildMegabytes = 1250
const mostTiffMs = 10_000
const atOnce = 2

/** Resolves with 0 when nothing was found; files that did harm are left in a folder that is named. */
export async function fuzzPdf({ seconds, seed }: FaxFuzzOptions): Promise<number> {
  return new Fuzz(seed, seconds).run()
}

class Fuzz {
  readonly #seed: number
  readonly #seconds: number
  #until = Infinity
  readonly #folder = mkdtempSync(join(tmpdir(), 'pbxd-fuzz-pdf-'))
  readonly #answers = new Map<string, number>()
  readonly #faults: string[] = []
  #pdfs = 0
  #tiffs = 0
  #tiffPages = 0
  #slowestMs = 0
  #slowestTiffMs = 0
  #childKb = 0

  constructor(seed: number, seconds: number) {
    this.#seed = seed
    this.#seconds = seconds
  }

  async run(): Promise<number> {
    const documents = await corpus()
    for (const [index, pdf] of documents.entries()) await this.#onePdf(`whole-${index}`, pdf)
    process.stdout.write(`${documents.length} whole documents: ${this.#table()}\n`)
    this.#until = Date.now() + this.#seconds * 1000
    const watch = setInterval(() => this.#measureChildren(), 50)
    const worker = async (): Promise<void> => {
      while (this.#goes()) {
        const number = this.#pdfs++
        await this.#onePdf(`case-${number}`, damagedPdf(new Random(this.#seed * 1_000_003 + number), documents))
      }
    }
    await Promise.all([...Array.from({ length: atOnce }, worker), this.#receivedFiles()])
    clearInterval(watch)
    process.stdout.write(
      `${this.#pdfs} damaged PDFs, slowest ${this.#slowestMs} ms, most memory of a child ${Math.round(this.#childKb / 1024)} MB\n${this.#table()}\n`,
    )
    process.stdout.write(
      `${this.#tiffs} damaged TIFF files, ${this.#tiffPages} pages of them used, slowest ${this.#slowestTiffMs} ms; ${this.#faults.length} faults\n`,
    )
    for (const fault of this.#faults) process.stdout.write(`${fault}\n`)
    if (this.#faults.length === 0) rmSync(this.#folder, { recursive: true, force: true })
    else process.stdout.write(`what did it: ${this.#folder}\n`)
    return this.#faults.length === 0 ? 0 : 1
  }

  #goes(): boolean {
    return Date.now() < this.#until && this.#faults.length < 20
  }

  #table(): string {
    return [...this.#answers]
      .toSorted((a, b) => b[1] - a[1])
      .map(([text, times]) => `${String(times).padStart(8)} x ${text}`)
      .join('\n')
  }

  #count(answer: string): void {
    this.#answers.set(answer, (this.#answers.get(answer) ?? 0) + 1)
  }

  async #onePdf(name: string, bytes: Buffer): Promise<void> {
    const pdf = join(this.#folder, `${name}.pdf`)
    const directory = join(this.#folder, name)
    writeFileSync(pdf, bytes)
    const fault = (text: string): void => void this.#faults.push(`${name}: ${text}`)
    const before = this.#faults.length
    const began = performance.now()
    try {
      const { pages } = await inspectPdf(pdf, { mostPages: limits.mostPages, milliseconds: limits.pageMilliseconds })
      const fax = await renderJob({ pdf, directory, limits })
      this.#count('pages')
      for (const file of [fax.fine, fax.standard]) {
        const drawn = readFax(file)
        if (drawn.length !== fax.pages || fax.pages !== pages)
          fault(`${pages} pages at first, ${fax.pages} drawn, ${drawn.length} in ${file}`)
        for (const page of drawn)
          if (page.width !== 1728 || page.rows < 1 || page.rows > 22 * 196) fault(`a page of ${page.width} x ${page.rows}`)
      }
    } catch (error) {
      if (error instanceof StarvedError) this.#count('starved: the machine was too busy')
      else if (!(error instanceof PageError)) fault(`threw ${error instanceof Error ? error.stack : String(error)}`)
      else {
        this.#count(`${error.code}: ${error.message.replaceAll(/\d+/g, 'N')}`)
        if (error.code === 'internal') fault(`${error.message}`)
      }
      const left = existing(directory)
      if (left.length > 0) fault(`left ${left.join(' ')}`)
    }
    const ms = Math.round(performance.now() - began)
    this.#slowestMs = Math.max(this.#slowestMs, ms)
    if (ms > 2 * mostMs) fault(`took ${ms} ms`)
    rmSync(directory, { recursive: true, force: true })
    if (this.#faults.length === before) rmSync(pdf)
  }

  #measureChildren(): void {
    for (const pid of childrenOf(process.pid)) {
      const kb = peakKb(pid)
      if (kb > mostChildMegabytes * 1024 && this.#childKb <= mostChildMegabytes * 1024)
        this.#faults.push(`a child took ${Math.round(kb / 1024)} MB`)
      this.#childKb = Math.max(this.#childKb, kb)
    }
  }

  async #receivedFiles(): Promise<void> {
    const random = new Random(this.#seed)
    const tiff = join(this.#folder, 'fax.tif')
    const pdf = join(this.#folder, 'fax.pdf')
    const whole = receivedFax(tiff)
    while (this.#goes()) {
      const bytes = damagedTiff(random, whole)
      writeFileSync(tiff, bytes)
      this.#tiffs += 1
      const before = this.#faults.length
      const began = performance.now()
      const fault = (text: string): void => void this.#faults.push(`TIFF ${this.#tiffs}: ${text}`)
      try {
        const made = await pdfOfFax(tiff, pdf)
        this.#tiffPages += made.pages
        if (made.pages > 0 && statSync(pdf).size !== made.bytes) fault('the PDF has another size')
        if (made.bytes > bytes.length + 1024 * 1024 + made.pages * 2048) fault(`${bytes.length} bytes became ${made.bytes}`)
        this.#decode(tiff)
      } catch (error) {
        fault(`threw ${error instanceof Error ? error.stack : String(error)}`)
      }
      const ms = Math.round(performance.now() - began)
      this.#slowestTiffMs = Math.max(this.#slowestTiffMs, ms)
      if (ms > mostTiffMs) fault(`took ${ms} ms`)
      if (this.#faults.length > before) writeFileSync(join(this.#folder, `harm-${this.#tiffs}.tif`), bytes)
      await turn()
    }
  }

  /** The first strips as dots, for the decoder; of reasonable size, since the time goes by the rows. */
  #decode(tiff: string): void {
    const file = openSync(tiff, 'r')
    try {
      for (const page of readTiff(file, fstatSync(file).size).pages.slice(0, 2)) {
        const strip = page.strips[0]
        if (strip === undefined) continue
        const bytes = Buffer.alloc(strip.bytes)
        readSync(file, bytes, 0, strip.bytes, strip.offset)
        const { decoded, bitmap } = decodeT6(bytes, page.width, Math.min(page.rows, 8000))
        if (decoded < 0 || decoded > bitmap.rows) this.#faults.push(`${decoded} rows decoded of ${bitmap.rows}`)
      }
    } finally {
      closeSync(file)
    }
  }
}

function existing(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function peakKb(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function receivedFax(path: string): Buffer {
  const writer = new TiffWriter(path, { pages: 3, dotsDown: 196 })
  for (const step of [97, 31, 7]) {
    const bitmap = createBitmap(1728, 200)
    for (let index = 0; index < bitmap.data.length; index++) bitmap.data[index] = index % step === 0 ? 0x3c : 0
    writer.add({ width: bitmap.width, rows: bitmap.rows, strip: encodeT6(bitmap) })
  }
  writer.close()
  return readFileSync(path)
}

/** In the directories more often than in the pages; lengths, offsets and counts at their limits. */
function damagedTiff(random: Random, whole: Buffer): Buffer {
  let bytes = Buffer.from(whole)
  const entries = directoryOffsets(bytes)
  for (let times = 1 + random.integer(6); times > 0 && bytes.length > 8; times--) {
    const at = random.chance(0.7) ? Math.min(random.pick(entries) + random.integer(120), bytes.length - 1) : random.integer(bytes.length)
    switch (random.integer(6)) {
      case 0:
        bytes[at] = random.integer(256)
        break
      case 1:
        bytes[at]! ^= 1 << random.integer(8)
        break
      case 2:
        if (at + 4 <= bytes.length)
          bytes.writeUInt32LE(
            random.pick([0, 1, 2, 8, 255, 65_535, 65_536, 0x7fffffff, 0xffffffff, bytes.length, bytes.length - 4, at]),
            at,
          )
        break
      case 3:
        if (random.chance(0.3)) bytes = bytes.subarray(0, at)
        break
      case 4:
        bytes = Buffer.concat([bytes.subarray(0, at), random.bytes(random.integer(60)), bytes.subarray(at)])
        break
      default: {
        const noise = random.bytes(random.integer(200))
        noise.copy(bytes, at, 0, Math.min(noise.length, bytes.length - at))
      }
    }
  }
  return bytes
}

function directoryOffsets(bytes: Buffer): number[] {
  const found = [0]
  for (let next = bytes.readUInt32LE(4); next !== 0 && next + 2 < bytes.length && found.length < 10;) {
    found.push(next)
    next = bytes.readUInt32LE(next + 2 + bytes.readUInt16LE(next) * 12)
  }
  return found
}
