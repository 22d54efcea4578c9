/** The calls of a phone of the house, as a lamp shows them (RFC 4235 section 4.1). */
import type { WatchedDialog } from '../../../drivers/pbx.ts'
import type { Call } from '../../calls/call.ts'
import { isTerminal } from '../../calls/state.ts'
import type { Config } from '../../schema/config.ts'
import type { CallState } from '../../schema/states.ts'
import { pickupGroupOf } from '../talk/pickup.ts'

/** Begins the Call-ID that a phone names which takes a ringing call by its lamp (RFC 3891); no dialog of the line has such a one. */
const lampDialogPrefix = 'lamp-'
const lampTag = 'lamp'

/** What a phone needs to take the call of that id, which rings at the extension. */
export const takenBy = (id: string, extension: string) => ({ callId: `${lampDialogPrefix}${id}`, localTag: extension, remoteTag: lampTag })

/** The extension whose lamp names a dialog; null where none does. A phone may take either tag for its own. */
export function watchedIn({
  callId,
  toTag,
  fromTag,
}: {
  readonly callId: string
  readonly toTag: string
  readonly fromTag: string
}): string | null {
  if (!callId.startsWith(lampDialogPrefix)) return null
  return toTag === lampTag ? fromTag : toTag
}

/** Who talks with whom is seen by the phone itself and those that may take its calls; by all others where the house wants it so. */
export function seesNumbers(config: Pick<Config, 'extensions' | 'lamps'>, extension: string, watcher: string): boolean {
  return config.lamps === 'numbers' || watcher === extension || pickupGroupOf(config, extension).includes(watcher)
}

/** What others see: that there is a call, and nothing of who has it. */
export const statesOf = (dialogs: readonly WatchedDialog[]): WatchedDialog[] => dialogs.map(({ remote: _, ...dialog }) => dialog)

/** Of the calls that live. */
export function dialogsOf(calls: readonly Call[], extension: string, realm: string): WatchedDialog[] {
  return calls.flatMap((call) => {
    if (call.isTerminal || isTerminal(call.row.state)) return []
    return [...own(call, extension, realm), ...rung(call, extension, realm)]
  })
}

/** Its own call: one that it placed, or that the box placed to it. */
function own(call: Call, extension: string, realm: string): WatchedDialog[] {
  const { row, party } = call
  if (party.extension !== extension || row.state === 'queued') return []
  const placed = row.direction === 'inbound' || row.agentFirst === true
  const state = row.state === 'in-progress' ? 'confirmed' : placed ? 'proceeding' : 'early'
  const other = placed ? row.to : row.from
  return [{ id: call.id, state, direction: placed ? 'initiator' : 'recipient', remote: remote(other, '', realm) }]
}

/** A call that rings at the phone, or that it has taken. */
function rung(call: Call, extension: string, realm: string): WatchedDialog[] {
  const { number, name } = call.party
  return (call.row.legs ?? []).flatMap((leg, index): WatchedDialog[] => {
    const state = leg.to === extension && leg.trunkId === '' && leg.endedAt === null ? shown(leg.state) : null
    if (state === null) return []
    const named = state === 'early' ? takenBy(call.id, extension) : {}
    return [{ id: `${call.id}-${index}`, state, direction: 'recipient', ...named, remote: remote(number, name, realm) }]
  })
}

function shown(state: CallState): WatchedDialog['state'] | null {
  if (state === 'in-progress') return 'confirmed'
  return state === 'dialing' || state === 'ringing' ? 'early' : null
}

function remote(number: string, name: string, realm: string): { name: string; uri: string } {
  return { name, uri: `sip:${encodeURIComponent(number === '' ? 'anonymous' : number)}@${realm}` }
}
