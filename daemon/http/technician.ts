/** What the technician's routes share. */
import { Type } from '@sinclair/typebox'
import type { DeedUnderWay } from '../audit/deed.ts'
import type { Reply } from './route.ts'

/** `limit` of a list. */
export const Limit = (otherwise: number, most = 1000) => Type.Integer({ minimum: 1, maximum: most, default: otherwise })

/** What a list shows, recorded by how much it is. */
export function listed(deed: DeedUnderWay, found: readonly unknown[]): Reply {
  deed.about('', found.length)
  return { status: 200, body: found }
}
