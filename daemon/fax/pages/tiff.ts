/** What TIFF files of faxes are made of (TIFF 6.0, RFC 2301 profile S): numbers of the tags and types in use. */

export const tag = {
  newSubfileType: 254,
  imageWidth: 256,
  imageLength: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripOffsets: 273,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripByteCounts: 279,
  xResolution: 282,
  yResolution: 283,
  t4Options: 292,
  resolutionUnit: 296,
  pageNumber: 297,
} as const

export const fieldType = { byte: 1, short: 3, long: 4, rational: 5 } as const

/** T.4 one- or two-dimensional with end-of-line codes, the same without, and T.6. */
export const compression = { huffman: 2, group3: 3, group4: 4 } as const

/** Pixels of a line of 215 mm, and dots per inch across. */
export const faxWidth = 1728
export const dotsAcross = 204
export const dotsDown = { fine: 196, standard: 98 } as const
