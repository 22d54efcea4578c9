/**
 * Bytes on the wire of four kinds of page, compared with what Ghostscript and poppler make of the same PDF in the same run, and the time a
 * page takes to render. The two are for comparison only and are left out where they are not installed.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bitmap } from '../../../daemon/fax/pages/bitmap.ts'
import { inspectPdf, renderJob, wireSeconds } from '../../../daemon/fax/pages/pages.ts'
import { encodeT6 } from '../../../daemon/fax/pages/t6-encode.ts'
import { form, letter, photo, scan } from '../../fax-pages/documents.ts'
import { atMost, fact, table, type Measurement, type Row } from './measure.ts'

const rate = 14_400
const documents = { letter, scan, form, photo }
/** Bytes a page may have at fine resolution: what keeps a text page under 45 s and a photograph under 90. */
const mostBytes: Readonly<Record<keyof typeof documents, number>> = { letter: 50_000, scan: 50_000, form: 20_000, photo: 120_000 }

/** A portable bitmap, as poppler and Ghostscript write it: 1 is black. */
export function parsePbm(bytes: Buffer): Bitmap {
  const header = /^P4\s(?:#.*\s)?(\d+)\s+(\d+)\s/.exec(bytes.toString('latin1', 0, 200))
  if (header === null) throw new Error('no bitmap')
  const width = Number(header[1])
  return { width, rows: Number(header[2]), stride: (width + 7) >> 3, data: bytes.subarray(header[0].length) }
}

export interface Other {
  readonly name: string
  /** Its command for the first page. `scale`: of the resolution of a fine page, 1 without. */
  run(pdf: string, out: string, scale?: number): { path: string; arguments: string[]; result: string }
}

const dots = (perInch: number, scale = 1): string => (perInch * scale).toFixed(3)

export const others: readonly Other[] = [
  {
    name: 'Ghostscript',
    run: (pdf, out, scale) => ({
      path: 'gs',
      arguments: [
        ...['-q', '-dSAFER', '-dBATCH', '-dNOPAUSE', '-sDEVICE=pbmraw', '-dLastPage=1'],
        ...[`-r${dots(204, scale)}x${dots(196, scale)}`, `-sOutputFile=${out}.pbm`, pdf],
      ],
      result: `${out}.pbm`,
    }),
  },
  {
    name: 'poppler',
    run: (pdf, out, scale) => ({
      path: 'pdftoppm',
      arguments: ['-mono', '-rx', dots(204, scale), '-ry', dots(196, scale), '-singlefile', '-cropbox', pdf, out],
      result: `${out}.pbm`,
    }),
  },
]

/** Square dots only: 204 a side. */
export const mupdf: Other = {
  name: 'MuPDF',
  run: (pdf, out, scale) => ({
    path: 'mutool',
    arguments: ['draw', '-q', '-F', 'pbm', '-r', dots(204, scale), '-o', `${out}.pbm`, pdf, '1'],
    result: `${out}.pbm`,
  }),
}

/** Bytes of the other program's raster by the same encoder, so that only the rasters differ. */
export function bytesBy(other: Other, pdf: string, out: string): { bytes: number; milliseconds: number } | undefined {
  const { path, arguments: words, result } = other.run(pdf, out)
  const began = performance.now()
  if (spawnSync(path, words, { stdio: 'ignore' }).status !== 0) return undefined
  const milliseconds = performance.now() - began
  return { bytes: encodeT6(parsePbm(readFileSync(result))).length, milliseconds }
}

const onWire = (bytes: number): string => `${bytes} bytes, ${wireSeconds([bytes], rate).toFixed(0)} s call`

async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pbxd-pages-'))
  const rows: Row[] = []
  try {
    for (const [name, make] of Object.entries(documents) as [keyof typeof documents, () => Promise<Uint8Array>][]) {
      const pdf = join(folder, `${name}.pdf`)
      writeFileSync(pdf, await make())
      const fax = await renderJob({ pdf, directory: join(folder, name) })
      const [fine = 0] = fax.bytesPerPage
      const [standard = 0] = fax.standardBytesPerPage
      rows.push(atMost(`${name}, fine`, mostBytes[name], 'bytes', fine, onWire(fine)), fact(`${name}, standard`, onWire(standard)))
      for (const other of others) {
        const made = bytesBy(other, pdf, join(folder, `${name}-${other.name}`))
        if (made === undefined) rows.push(fact(`${name} by ${other.name}`, 'not installed'))
        else
          rows.push(
            fact(`${name} by ${other.name}`, onWire(made.bytes), `${(made.bytes / fine).toFixed(1)} x, ${made.milliseconds.toFixed(0)} ms`),
          )
      }
    }
    const pdf = join(folder, 'long.pdf')
    writeFileSync(pdf, await letter(20))
    const looked = performance.now()
    await inspectPdf(pdf)
    rows.push(atMost('first look at a PDF of 20 pages', 1000, 'ms', performance.now() - looked))
    const began = performance.now()
    const fax = await renderJob({ pdf, directory: join(folder, 'long') })
    const times = fax.millisecondsPerPage.toSorted((a, b) => a - b)
    rows.push(
      atMost('a page of text, both resolutions, median', 200, 'ms', times[times.length >> 1] ?? NaN),
      fact('20 pages of text from PDF to files', `${(performance.now() - began).toFixed(0)} ms`, 'with the start of the child'),
    )
    return rows
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const pages: Measurement = { name: 'pages', title: 'Fax pages: bytes on the wire and time to render', run }

if (process.argv[1] === import.meta.filename) console.log(table(await run()))
