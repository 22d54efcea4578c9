/** Whether a file is a PDF, and there to its end. */

const trailerBytes = 2048

/** ISO 32000 asks for the header within the first 1,024 bytes. */
export function isPdf(start: Uint8Array): boolean {
  return Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, 1024)).includes('%PDF-')
}

/**
 * PDFium repairs a file that is cut off as well as it can, and shows the rest as if it were all: a fax of half a letter. The last line of a
 * file is `%%EOF` (ISO 32000-1 section 7.5.5); some programs forget it. Then the line before it decides: it points to the table of all
 * objects, and everything that belongs to the document was written before that.
 */
export function isCutOff(bytes: Buffer): boolean {
  const linearised = /\/Linearized\b[^>]*\/L\s+(\d+)/.exec(bytes.toString('latin1', 0, trailerBytes))
  if (linearised !== null && Number(linearised[1]) > bytes.length) return true
  if (bytes.includes('%%EOF')) return false
  const end = /startxref\s+(\d{1,10})[\s%EO]*$/.exec(bytes.toString('latin1', Math.max(0, bytes.length - trailerBytes)))
  if (end === null) return true
  const at = Number(end[1])
  // A table, or an object that is one.
  return !/^\s*(xref\b|\d+\s+\d+\s+obj\b((?!stream)[^])*?\/Type\s*\/XRef\b)/.test(bytes.toString('latin1', at, at + 1000))
}
