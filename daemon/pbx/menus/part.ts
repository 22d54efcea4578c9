/** Menus: callers choose by a key where they go. */
import type { Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { ApplicationRunner } from '../../routing/application.ts'
import type { Routing } from '../../routing/routing.ts'
import type { Voice } from '../../voice/voice.ts'
import { Menus } from './menus.ts'

export interface MenusPart extends Part {
  readonly menus: Menus
}

export interface MenusPartOptions {
  readonly routing: Pick<Routing, 'destinations' | 'takers'>
  readonly voice: Pick<Voice, 'serve'>
  readonly applications: Pick<ApplicationRunner, 'takeOver'>
}

export function menusPart({ config }: Pick<Ground, 'config'>, { routing, voice, applications }: MenusPartOptions): MenusPart {
  const menus = new Menus({ config, destinations: routing.destinations, applications })
  voice.serve(menus.application)
  routing.takers.add('menu', (call, { id }, request) => menus.take(call, id, request))
  return { name: 'menus', menus }
}
