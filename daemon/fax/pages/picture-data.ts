/** Pictures whose data end before their last row: each reader fills the rest with what it likes, black among others. */
import { isStream, type PdfFile, type Stream } from './pdf-file.ts'
import { filtersOf, undo } from './pdf-filters.ts'
import type { Dictionary, Value } from './pdf-tokens.ts'
import { rowsOfT4 } from './t4-rows.ts'

const channels: Readonly<Record<string, number>> = {
  CalRGB: 3,
  DeviceCMYK: 4,
  DeviceRGB: 3,
  Lab: 3,
}

/** Numbers of each dot; 1 where that is not known. */
function channelsOf(file: PdfFile, space: Value | undefined): number {
  const found = file.at(space)
  if (!Array.isArray(found)) return channels[file.name(space)] ?? 1
  const [name, second] = found as readonly Value[]
  if (file.name(name) === 'ICCBased') return file.number(file.dictionary(second)?.get('N')) ?? 1
  if (file.name(name) === 'DeviceN') return Math.max(1, file.list(second).length)
  return channels[file.name(name)] ?? 1
}

interface Size {
  readonly width: number
  readonly rows: number
}

function missingRows(file: PdfFile, dictionary: Dictionary, bytes: Buffer, { width, rows }: Size): boolean {
  const isMask = file.at(dictionary.get('ImageMask')) === true
  const depth = isMask ? 1 : (file.number(dictionary.get('BitsPerComponent')) ?? 1) * channelsOf(file, dictionary.get('ColorSpace'))
  const parameters = filtersOf(file, dictionary).at(-1)?.parameters
  const row = Math.ceil((width * depth) / 8) + ((file.number(parameters?.get('Predictor')) ?? 1) >= 10 ? 1 : 0)
  // Some writers lose the last bytes, which nobody sees.
  return bytes.length < row * (rows - 1)
}

const endOfJpeg = Buffer.from([0xff, 0xd9])

/** The end of a sentence about a page with the picture, or about its mask; undefined where nothing is missing. */
export function missingInPicture(file: PdfFile, picture: Stream): string | undefined {
  try {
    return missingRowsOf(file, picture)
  } catch (error) {
    if (error instanceof RangeError) return 'has a picture of giant size'
    throw error
  }
}

function missingRowsOf(file: PdfFile, picture: Stream): string | undefined {
  const { dictionary } = picture
  const size = { width: file.number(dictionary.get('Width')) ?? 0, rows: file.number(dictionary.get('Height')) ?? 0 }
  const { bytes, left, parameters } = undo(file, picture, true)
  const sentence = (coding: string): string => `has a picture (${coding}) whose data are cut off or damaged`
  // A missing mark of the end is no loss where all rows are there.
  if (left === '' && missingRows(file, dictionary, bytes, size)) return sentence(filtersOf(file, dictionary).at(-1)?.name ?? 'no filter')
  if (left === 'DCTDecode' && bytes.lastIndexOf(endOfJpeg) < 0) return sentence(left)
  if (left === 'CCITTFaxDecode') {
    const number = (key: string): number | undefined => file.number(parameters?.get(key))
    const columns = number('Columns') ?? 1728
    const aligned = file.at(parameters?.get('EncodedByteAlign')) === true
    const rows = rowsOfT4(bytes, { coding: number('K') ?? 0, width: columns, rows: size.rows, aligned })
    if (rows !== undefined && rows < size.rows) return `has a picture (CCITT) of which ${rows} of ${size.rows} rows are there`
  }
  const mask = file.at(dictionary.get('SMask') ?? dictionary.get('Mask'))
  return isStream(mask) && mask !== picture && !mask.dictionary.has('SMask') ? missingInPicture(file, mask) : undefined
}
