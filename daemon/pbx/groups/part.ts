/** Ring groups. */
import type { Calls } from '../../calls/calls.ts'
import type { Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { Talks } from '../../routing/connect.ts'
import type { Routing } from '../../routing/routing.ts'
import type { Speaker } from '../../speech/speaker.ts'
import type { SettingsOfExtensions } from '../extensions/settings.ts'
import type { Outside } from '../outside/outside.ts'
import { RingGroups } from './groups.ts'

export interface GroupsPartOptions {
  readonly routing: Pick<Routing, 'destinations' | 'takers' | 'trunks'>
  readonly calls: Calls
  readonly talks: Talks
  readonly settings: SettingsOfExtensions
  readonly outside: Pick<Outside, 'begin'>
  readonly speaker: Pick<Speaker, 'prepare'>
}

export function groupsPart(
  { config, clock }: Pick<Ground, 'config' | 'clock'>,
  { routing, calls, talks, settings, outside, speaker }: GroupsPartOptions,
): Part {
  const { destinations, takers, trunks } = routing
  const groups = new RingGroups({ config, calls, trunks, destinations, settings, clock, talks, outside, speaker })
  takers.add('group', (call, { id }, request) => groups.take(call, id, request))
  return { name: 'groups' }
}
