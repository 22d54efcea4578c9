/** What an index of a table is made of. A change to one raises the version of its table; see indexes.ts. */
export interface RowIndex<V> {
  /** Whether something is still to be done for it. */
  readonly pending: (row: V) => boolean
  /** Milliseconds since the epoch, from which its retention counts. */
  readonly endedAt: (row: V) => number
}

export function completedAt({ completedAt: at, createdAt }: { readonly completedAt: number | null; readonly createdAt: number }): number {
  return at ?? createdAt
}
