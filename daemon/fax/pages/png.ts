/** Writer of PNG files (ISO 15948) in black and white, or in sixteen shades. */
import { crc32, deflateSync } from 'node:zlib'
import type { Bitmap, Gray } from './bitmap.ts'

export interface DotsPerInch {
  readonly across: number
  readonly down: number
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const perMetre = (dots: number): number => Math.round(dots / 0.0254)

function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(type, 4, 'latin1')
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}

/** `lines`: each row behind a byte 0, for no filter. */
function file(width: number, rows: number, depth: 1 | 4, lines: Uint8Array, size: DotsPerInch): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(rows, 4)
  // Gray, deflate, adaptive filters, not interlaced.
  head.set([depth, 0, 0, 0, 0], 8)
  const dots = Buffer.alloc(9)
  dots.writeUInt32BE(perMetre(size.across), 0)
  dots.writeUInt32BE(perMetre(size.down), 4)
  dots[8] = 1
  const data = deflateSync(lines, { level: 6 })
  return Buffer.concat([signature, chunk('IHDR', head), chunk('pHYs', dots), chunk('IDAT', data), chunk('IEND', new Uint8Array(0))])
}

/** Each row `repeated` times. */
export function pngOfDots({ width, rows, stride, data }: Bitmap, repeated: number, size: DotsPerInch): Buffer {
  const lines = new Uint8Array((stride + 1) * rows * repeated)
  for (let row = 0, at = 0; row < rows; row++)
    for (let time = 0; time < repeated; time++, at += stride + 1)
      // Black is 0 in a PNG.
      for (let byte = 0; byte < stride; byte++) lines[at + 1 + byte] = ~(data[row * stride + byte] as number)
  return file(width, rows * repeated, 1, lines, size)
}

export function pngOfShades({ width, rows, data }: Gray, size: DotsPerInch): Buffer {
  const stride = (width + 1) >> 1
  const lines = new Uint8Array((stride + 1) * rows)
  for (let row = 0; row < rows; row++)
    for (let dot = 0; dot < width; dot++) {
      const shade = Math.round((data[row * width + dot] as number) / 17)
      lines[row * (stride + 1) + 1 + (dot >> 1)]! |= (dot & 1) === 0 ? shade << 4 : shade
    }
  return file(width, rows, 4, lines, size)
}
