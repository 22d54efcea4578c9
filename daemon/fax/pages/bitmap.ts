/** A page of two colours: rows of packed bits, the leftmost pixel in the highest bit, 1 is black. */

export interface Bitmap {
  readonly width: number
  readonly rows: number
  /** Bytes of one row. */
  readonly stride: number
  readonly data: Uint8Array
}

export function createBitmap(width: number, rows: number): Bitmap {
  const stride = (width + 7) >> 3
  return { width, rows, stride, data: new Uint8Array(stride * rows) }
}

/**
 * Writes the places where the colour of a row changes into `changes`, from left to right, starting from white: even entries
 * begin black, odd ones begin white. Three entries of the width follow the last. Gives their number without these.
 */
export function changesOf(bitmap: Bitmap, row: number, changes: Int32Array): number {
  const { width, stride, data } = bitmap
  let count = 0
  /** All bits are the colour that runs at the moment. */
  let running = 0
  const start = row * stride
  for (let byte = 0; byte < stride; byte++) {
    let different = (data[start + byte] as number) ^ running
    while (different !== 0) {
      const bit = Math.clz32(different) - 24
      const place = byte * 8 + bit
      if (place >= width) break
      changes[count++] = place
      running ^= 0xff
      different = (different ^ 0xff) & (0xff >> bit)
    }
  }
  changes[count] = changes[count + 1] = changes[count + 2] = width
  return count
}
