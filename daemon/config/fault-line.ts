/** A fault of the configuration as one line: where it is, and what to write. */
export interface PlacedFault {
  readonly file: string
  readonly line: number
  readonly column: number
  /** '' for the file as a whole. */
  readonly path: string
  readonly text: string
}

/** For a reader who knows which file is meant: `line 87, sip.udp: ...`. */
export function faultInFile({ line, path, text }: Pick<PlacedFault, 'line' | 'path' | 'text'>): string {
  return `line ${line}${path === '' ? '' : `, ${path}`}: ${text}`
}

export function faultLine({ file, line, column, path, text }: PlacedFault): string {
  return [`${file}:${line}:${column}`, ...(path === '' ? [] : [path]), text].join(': ')
}
