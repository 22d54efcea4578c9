/** PDFs that are broken, locked, swollen or odd, written object by object. */
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

export type Piece = string | Uint8Array

/** Objects are numbered from 1; the first is the catalog. */
export function rawPdf(objects: readonly Piece[][], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const places: number[] = []
  let length = parts[0]?.length ?? 0
  const add = (piece: Piece): void => {
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from(piece)
    parts.push(bytes)
    length += bytes.length
  }
  objects.forEach((pieces, index) => {
    places.push(length)
    add(`${index + 1} 0 obj\n`)
    pieces.forEach(add)
    add('\nendobj\n')
  })
  const start = length
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`)
  for (const place of places) add(`${String(place).padStart(10, '0')} 00000 n \n`)
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`)
  return Buffer.concat(parts)
}

export const streamOf = (dictionary: string, data: Uint8Array | string): Piece[] => [
  `<< ${dictionary} /Length ${data.length} >>\nstream\n`,
  data,
  '\nendstream',
]

export interface OnePage {
  readonly box?: string
  /** Entries of the page and of the catalog, such as `/Rotate 90`. */
  readonly page?: string
  readonly catalog?: string
  readonly resources?: string
  /** Objects from number 5 on. */
  readonly more?: readonly Piece[][]
}

/** One page that draws `content`. */
export function onePage(content: string, options: OnePage = {}): Buffer {
  return rawPdf([
    [`<< /Type /Catalog /Pages 2 0 R ${options.catalog ?? ''} >>`],
    ['<< /Type /Pages /Count 1 /Kids [3 0 R] >>'],
    [
      `<< /Type /Page /Parent 2 0 R /MediaBox [${options.box ?? '0 0 612 792'}] /Contents 4 0 R ` +
        `/Resources << ${options.resources ?? ''} >> ${options.page ?? ''} >>`,
    ],
    streamOf('', content),
    ...(options.more ?? []),
  ])
}

/** A drawing of so many strokes, as maps and exports of an electrocardiograph are: each a path of its own, up to 60 points long. */
export function denseDrawing(strokes: number): Buffer {
  let state = 3
  const next = (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state / 2 ** 32) * most
  }
  const lines = Array.from({ length: strokes }, () => {
    const [x, y] = [next(612), next(792)]
    return `${x.toFixed(1)} ${y.toFixed(1)} m ${(x + next(84) - 42).toFixed(1)} ${(y + next(84) - 42).toFixed(1)} l S`
  })
  return onePage(`0.2 w ${lines.join(' ')}`)
}

export function manyPages(count: number): Buffer {
  const kids = Array.from({ length: count }, (_, index) => `${index + 4} 0 R`).join(' ')
  return rawPdf([
    ['<< /Type /Catalog /Pages 2 0 R >>'],
    [`<< /Type /Pages /Count ${count} /Kids [${kids}] /MediaBox [0 0 612 792] >>`],
    streamOf('', '0 0 m 612 792 l S'),
    ...Array.from({ length: count }, () => ['<< /Type /Page /Parent 2 0 R /Contents 3 0 R >>']),
  ])
}

/** A picture of 60,000 x 60,000 dots in a few thousand bytes: T.6 says a white line in one bit. */
export function pictureBomb(): Buffer {
  const picture = streamOf(
    '/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 1 /ColorSpace /DeviceGray ' +
      '/Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 60000 /Rows 60000 >>',
    Buffer.alloc(7502, 0xff),
  )
  return onePage('q 612 0 0 792 0 0 cm /I Do Q', { resources: '/XObject << /I 5 0 R >>', more: [picture] })
}

/** The same size as colours: ten gigabytes of zeros, deflated twice. */
export function deflateBomb(): Buffer {
  const zeros = deflateSync(Buffer.alloc(64 * 1024 ** 2), { level: 9 })
  const picture = streamOf(
    '/Type /XObject /Subtype /Image /Width 4096 /Height 16384 /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter [/FlateDecode /FlateDecode]',
    deflateSync(zeros, { level: 9 }),
  )
  const draws = 'q 612 0 0 792 0 0 cm /I Do Q\n'.repeat(5000)
  return onePage(draws, { resources: '/XObject << /I 5 0 R >>', more: [picture] })
}

/** RC4 as PDF's standard security handler of revision 2 uses it. */
function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index)
  const swap = (a: number, b: number): void => {
    const kept = state[a] as number
    state[a] = state[b] as number
    state[b] = kept
  }
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + (state[i] as number) + (key[i % key.length] as number)) & 255
    swap(i, j)
  }
  let i = 0
  let j = 0
  const coded = Uint8Array.from(data, (byte) => {
    i = (i + 1) & 255
    j = (j + (state[i] as number)) & 255
    swap(i, j)
    return byte ^ (state[((state[i] as number) + (state[j] as number)) & 255] as number)
  })
  return Buffer.from(coded)
}

const md5 = (...parts: Uint8Array[]): Buffer => parts.reduce((hash, part) => hash.update(part), createHash('md5')).digest()
const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')
const padded = (password: string): Buffer => Buffer.concat([Buffer.from(password, 'latin1'), padding]).subarray(0, 32)

/** With '' for `user` anybody may read it, and the owner's password only forbids changes. */
export function encrypted(user: string): Buffer {
  const owner = rc4(md5(padded('owner')).subarray(0, 5), padded(user))
  const permissions = Buffer.alloc(4)
  permissions.writeInt32LE(-44)
  const id = Buffer.alloc(16, 7)
  const key = md5(padded(user), owner, permissions, id).subarray(0, 5)
  const content = rc4(md5(key, Uint8Array.of(4, 0, 0, 0, 0)).subarray(0, 10), Buffer.from('72 72 468 648 re f'))
  return rawPdf(
    [
      ['<< /Type /Catalog /Pages 2 0 R >>'],
      ['<< /Type /Pages /Count 1 /Kids [3 0 R] >>'],
      ['<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << >> >>'],
      streamOf('', content),
      [`<< /Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${rc4(key, padding).toString('hex')}> /P -44 >>`],
    ],
    `/Encrypt 5 0 R /ID [<${id.toString('hex')}> <${id.toString('hex')}>]`,
  )
}
