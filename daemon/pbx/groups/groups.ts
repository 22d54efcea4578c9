/** Ring groups: several phones for one call; the first who answers has it. */
import type { PlaySource } from '../../../drivers/line.ts'
import type { Call } from '../../calls/call.ts'
import type { SecondLeg } from '../../calls/second-leg.ts'
import { pressesOne } from '../../routing/confirm.ts'
import { connect, type Search } from '../../routing/connect.ts'
import type { TakeRequest } from '../../routing/destinations.ts'
import { ringExtension, sendAfter } from '../../routing/extension.ts'
import { elsewhereCause, type RungOptions } from '../../routing/rung.ts'
import type { Taken } from '../../routing/taken.ts'
import { memberOf, type RingGroupConfig } from '../../schema/config/pbx-groups.ts'
import type { Speaker } from '../../speech/speaker.ts'
import { spokenSources } from '../../speech/prompts.ts'
import type { ExtensionsOptions } from '../extensions/extensions.ts'
import { words } from '../../words/words.ts'
import { GroupSearch, type RingingMember, type RingMember } from './search.ts'
import type { Outside } from '../outside/outside.ts'
import { isEngaged } from '../extensions/settings.ts'

export interface GroupsOptions extends ExtensionsOptions {
  readonly outside: Pick<Outside, 'begin'>
  readonly speaker: Pick<Speaker, 'prepare'>
}

export class RingGroups {
  readonly #options: GroupsOptions
  /** How many calls a group had, for the turn of `rotating`. */
  readonly #calls = new Map<string, number>()

  constructor(options: GroupsOptions) {
    this.#options = options
  }

  async take(call: Call, id: string, request: TakeRequest): Promise<Taken> {
    const { config, clock, destinations } = this.#options
    const group = config.ringGroups.find((candidate) => candidate.id === id)
    if (group === undefined) return { outcome: 'failed', sipCode: 404, text: `there is no ring group ${id}` }
    const count = this.#calls.get(id) ?? 0
    this.#calls.set(id, count + 1)
    call.note('leg', `ringing group ${id} (${group.strategy})`)
    const plan = {
      strategy: group.strategy,
      delaysMs: group.members.map((member) => memberOf(member).delaySeconds * 1000),
      ringMs: group.ringSeconds * 1000,
      mostMs: request.timeoutSeconds === undefined ? null : request.timeoutSeconds * 1000,
      first: count % group.members.length,
    }
    const taken = await connect(this.#options, call, request, () => new GroupSearch(clock, plan, this.#ringMember(call, group, request)))
    return sendAfter(destinations, call, request, taken, group.onNoAnswer, `group ${id}`)
  }

  #ringMember(call: Call, group: RingGroupConfig, { announce }: TakeRequest): RingMember {
    const { calls, settings } = this.#options
    return (index, ms) => {
      const { number, outside } = memberOf(group.members[index]!)
      const how = { timeoutSeconds: Math.max(1, Math.ceil(ms / 1000)), ...(announce === undefined ? {} : { announce }) }
      if (outside) return this.#ringOutside(call, group, number, how)
      const undisturbed = settings.of(number).doNotDisturb
      if (undisturbed || isEngaged(calls.live(), number)) {
        const text = undisturbed ? 'do not disturb' : 'on the telephone'
        call.note('leg', `extension ${number}: ${text}`)
        return { outcome: 'busy', sipCode: 486, text }
      }
      const said = [...(announce ?? []), ...this.#whisper(call, group)]
      return memberRung(ringExtension(this.#options, call, number, { ...how, announce: said }))
    }
  }

  #whisper(call: Call, { whisper }: RingGroupConfig): readonly Promise<PlaySource>[] {
    if (whisper === undefined) return []
    const { config, speaker } = this.#options
    return spokenSources(speaker, { text: whisper, language: config.site.language, callId: call.id, signal: call.over })
  }

  /** A machine that answers outside must not have the call: a key says that a person takes it. */
  #ringOutside(call: Call, group: RingGroupConfig, number: string, how: Ringing): RingingMember | Taken {
    const { config, clock, outside, speaker } = this.#options
    const name = group.name === '' ? config.site.name : group.name
    const { groups, language } = words(config.site.language)
    const offer = { text: groups.offer(name), language, callId: call.id, signal: call.over }
    const confirm = (leg: SecondLeg): Promise<boolean> => pressesOne(clock, leg, spokenSources(speaker, offer))
    const begun = outside.begin(call, number, { classOfService: 'international', phone: false, shows: 'trunk' }, { ...how, confirm })
    return 'outcome' in begun ? begun : memberRung(begun.ring())
  }
}

type Ringing = Pick<RungOptions, 'announce'> & { readonly timeoutSeconds: number }

function memberRung(rung: Search & { release(cause?: number): void }): RingingMember {
  return {
    found: rung.found,
    set onRinging(told: () => void) {
      rung.onRinging = told
    },
    release: (elsewhere) => rung.release(elsewhere ? elsewhereCause : undefined),
  }
}
