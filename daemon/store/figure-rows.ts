/** What happened in one hour: numbers alone, of nobody. Key: series, `/`, the beginning of the hour by the clock on the wall (16 digits). */
export interface FigureRow {
  /** By name, such as an extension or a queue; '' for all. Then by what is counted. */
  counts: Record<string, Record<string, number>>
}
