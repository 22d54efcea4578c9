/** A phone that calls the outside: with the class of its extension, showing its number. */
import type { Dialler } from '../../routing/destinations.ts'
import type { ExtensionConfig } from '../../schema/config.ts'

export function phoneDialler(extension: ExtensionConfig): Dialler {
  return { classOfService: extension.class, phone: true, shows: extension.callerId ?? 'trunk' }
}
