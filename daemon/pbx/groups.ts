/** Ring groups: several phones for one call; the first who answers has it. */
import type { Call } from '../calls/call.ts'
import { connect } from '../routing/connect.ts'
import type { TakeRequest } from '../routing/destinations.ts'
import { ringExtension } from '../routing/extension.ts'
import { elsewhereCause } from '../routing/rung.ts'
import type { Taken } from '../routing/taken.ts'
import { memberOf, type RingGroupConfig } from '../schema/config-pbx-groups.ts'
import type { ExtensionsOptions } from './extensions.ts'
import { GroupSearch, type RingMember } from './group-search.ts'
import { isEngaged } from './presence.ts'
import { sendAfter } from './send-after.ts'

export class RingGroups {
  readonly #options: ExtensionsOptions
  /** How many calls a group had, for the turn of `rotating`. */
  readonly #calls = new Map<string, number>()

  constructor(options: ExtensionsOptions) {
    this.#options = options
  }

  async take(call: Call, id: string, request: TakeRequest): Promise<Taken> {
    const { config, clock, send } = this.#options
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
    const taken = await connect(clock, call, request, () => new GroupSearch(clock, plan, this.#ringMember(call, group, request)))
    return sendAfter(send, call, request, taken, group.onNoAnswer, `group ${id}`)
  }

  #ringMember(call: Call, group: RingGroupConfig, { announce }: TakeRequest): RingMember {
    const { calls, settings } = this.#options
    return (index, ms) => {
      const { extension } = memberOf(group.members[index]!)
      const undisturbed = settings.of(extension).doNotDisturb
      if (undisturbed || isEngaged(calls.live(), extension)) {
        const text = undisturbed ? 'do not disturb' : 'on the telephone'
        call.note('leg', `extension ${extension}: ${text}`)
        return { outcome: 'busy', sipCode: 486, text }
      }
      const timeoutSeconds = Math.max(1, Math.ceil(ms / 1000))
      const rung = ringExtension(this.#options, call, extension, announce === undefined ? { timeoutSeconds } : { timeoutSeconds, announce })
      return {
        found: rung.found,
        set onRinging(told: () => void) {
          rung.onRinging = told
        },
        release: (elsewhere) => rung.release(elsewhere ? elsewhereCause : undefined),
      }
    }
  }
}
