/** What the figures of the interface count, for people who read its description. */
import { Type } from '@sinclair/typebox'

/** Keyword for what a figure counts, such as `ms`. */
export const unitMark = 'x-unit'

/** Whole milliseconds or seconds, counts and so on; never negative. */
export const Count = (unit: string, description: string) => Type.Integer({ minimum: 0, [unitMark]: unit, description })
