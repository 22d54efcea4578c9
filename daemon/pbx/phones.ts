/** The phones of the house, put together: whoever takes calls there. */
import type { Phones } from '../routing/routing.ts'
import { takeToHouseExtension, type ExtensionsOptions } from './extensions.ts'
import { RingGroups } from './groups.ts'

export function createPhones(options: ExtensionsOptions): Phones {
  const groups = new RingGroups(options)
  return {
    extension: (call, number, request) => takeToHouseExtension(options, call, number, request),
    group: (call, id, request) => groups.take(call, id, request),
  }
}
