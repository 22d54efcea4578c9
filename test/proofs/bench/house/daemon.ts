/** The daemon that the figures of the house are taken of. */
import { extensionOf, extensionsOf } from '../../../harness/light-phone.ts'
import type { Scene } from '../../../harness/scene.ts'
import { stage } from '../stage.ts'

/** A house with so many extensions; a call from outside rings at the first of them. */
export function openHouse(extensions: number, more: (base: Record<string, unknown>) => void = () => undefined): Promise<Scene> {
  return stage({
    settings: (base) => {
      base['extensions'] = extensionsOf(extensions)
      base['voice'] = {}
      base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: extensionOf(0) }]
      more(base)
    },
  })
}
