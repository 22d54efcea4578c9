/**
 * Several boxes behind one proxy have an inbox each, and cursors of one box mean nothing in another: a poller with a foreign cursor would
 * skip items without an error. So a box answers only polls that are meant for it.
 */
import { ApiError } from '../base/errors.ts'
import { boxOf } from '../base/ids.ts'

export interface BoxName {
  readonly id?: string | undefined
  /** The box whose inbox programs poll. */
  readonly inbox?: string | undefined
}

/** `asked`: the box that the poll names. Throws ApiError `inbox_elsewhere`. */
export function mustBePolledHere({ id, inbox }: BoxName, asked: string | undefined): void {
  const wanted = asked ?? inbox
  if (wanted !== undefined && wanted !== id) throw elsewhere(wanted, id)
}

/** Of an item that this box does not have. */
export function unknownItem(itemId: string, { id }: BoxName): ApiError {
  const made = boxOf(itemId)
  if (id !== undefined && made !== undefined && made !== id) return elsewhere(made, id)
  return new ApiError('not_found', 'There is no item with that id.')
}

function elsewhere(box: string, id: string | undefined): ApiError {
  const here = id === undefined ? 'a box without box.id' : `box ${id}`
  return new ApiError('inbox_elsewhere', `This is ${here}. The inbox that is asked for is at box ${box}.`, {
    details: [{ path: '/box', message: box }],
  })
}
