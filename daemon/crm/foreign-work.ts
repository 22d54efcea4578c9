/** What of the files and answers of others is read in the thread that is there for it, and how that is asked for. */
import type { ErrorCode, ErrorDetail } from '../base/errors.ts'
import { parseForeignJson } from '../../drivers/foreign-json.ts'
import { entriesOf, lookAt, type FileType } from './import-look.ts'
import { lookAtPage } from './sync/page.ts'

export type ForeignOrder =
  | { readonly kind: 'json' }
  | { readonly kind: 'page' }
  /** `country`: whose numbers need no country. */
  | { readonly kind: 'import'; readonly file: FileType; readonly country: string }

/** Bytes to be read, or a piece of what was read, which is kept until it is `done`. */
export type ForeignMessage =
  | { readonly id: number; readonly order: ForeignOrder; readonly bytes: readonly Uint8Array<ArrayBuffer>[] }
  | { readonly id: number; readonly piece: number }
  | { readonly id: number; readonly done: true }

export type ForeignAnswer =
  | { readonly id: number; readonly head: unknown; readonly pieces: number }
  /** JSON. */
  | { readonly id: number; readonly piece: string }
  /** `code`: null where it is no fault of a kind that is answered. */
  | { readonly id: number; readonly error: { readonly code: ErrorCode | null; readonly message: string } }

export type ForeignChecks = Readonly<Record<'imported', (value: unknown) => ErrorDetail[] | undefined>>

export interface ForeignWork {
  readonly head: unknown
  /** JSON, each the work of a few milliseconds. */
  readonly pieces: readonly string[]
}

const mostOfPiece = 200
const pieceCharacters = 64 * 1024

/** Throws ApiError, or what JSON.parse throws. */
export async function foreignWork(order: ForeignOrder, bytes: Buffer, checks: ForeignChecks): Promise<ForeignWork> {
  if (order.kind === 'json') return { head: parseForeignJson(bytes), pieces: [] }
  if (order.kind === 'page') {
    const { customers, ...head } = lookAtPage(parseForeignJson(bytes))
    return { head, pieces: piecesOf(customers) }
  }
  const { parties, ...head } = lookAt(await entriesOf(order.file, bytes), order.country, checks.imported)
  return { head, pieces: piecesOf(parties) }
}

function piecesOf(values: readonly unknown[]): string[] {
  const pieces: string[] = []
  let [some, size]: [string[], number] = [[], 0]
  const close = (): void => {
    if (some.length > 0) pieces.push(`[${some.join(',')}]`)
    ;[some, size] = [[], 0]
  }
  for (const value of values) {
    const json = JSON.stringify(value)
    some.push(json)
    size += json.length
    if (some.length === mostOfPiece || size >= pieceCharacters) close()
  }
  close()
  return pieces
}
