/** One item by what somebody calls it: programs by its id; the technician also by a part of it that no other has, or as the `last`. */
import { ApiError, type ErrorCode } from '../base/errors.ts'

export interface Findable<T> {
  /** What it is called. */
  readonly noun: string
  readonly unknown: ErrorCode
  /** The command that lists them. */
  readonly list: string
  find(id: string): T | undefined
  /** Newest first. */
  newest(limit: number): readonly T[]
  idOf(item: T): string
}

/** Items looked at for a part of an id. */
const searched = 1000
const shortest = 4

/** Throws ApiError `unknown`. */
export function finder<T>(of: Findable<T>): (text: string, asked: { readonly technician: boolean }) => T {
  return (text, { technician }) => {
    const exact = of.find(text)
    if (exact !== undefined) return exact
    if (!technician) throw new ApiError(of.unknown, `There is no ${of.noun} with that id.`)
    const last = text === 'last'
    const newest = of.newest(last ? 1 : searched)
    const found = last ? newest : newest.filter((item) => text.length >= shortest && of.idOf(item).includes(text))
    if (found.length === 1) return found[0]!
    const why = found.length === 0 ? `There is no ${of.noun} ${text}: see "${of.list}".` : `More than one ${of.noun} has ${text} in its id.`
    throw new ApiError(of.unknown, why)
  }
}
