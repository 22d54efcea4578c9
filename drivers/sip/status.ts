/** Trunk and phone states in words for a person: what `pbx lines` shows. */
import { isDeepStrictEqual } from 'node:util'
import { type LineStatus, phraseOf } from '../line.ts'
import type { SipConfiguration, SipContact, SipTrunk } from './configuration.ts'
import { text, whole } from './reading.ts'
import type { Message } from './frames.ts'

interface TrunkState {
  readonly state: string
  readonly code: number
  readonly reason: string
  readonly since: string
  /** When the registration is tried again, in milliseconds since the epoch; 0 for not at all. */
  readonly retryAt: number
}

const unknownTrunk = (now: string): TrunkState => ({ state: 'unknown', code: 0, reason: '', since: now, retryAt: 0 })

export class LineBook {
  readonly #trunks = new Map<string, TrunkState>()
  /** Last known bindings of each extension: they outlive the engine. */
  readonly #contacts = new Map<string, { contacts: readonly SipContact[]; since: string }>()
  #engineFault: { reason: string; since: string } | null = null

  engineUp(): void {
    this.#engineFault = null
    this.#trunks.clear()
  }

  engineDown(reason: string): void {
    this.#engineFault = { reason, since: new Date().toISOString() }
    this.#trunks.clear()
  }

  trunk(message: Message): void {
    const id = text(message['id'])
    const state = text(message['state'])
    const before = this.#trunks.get(id)
    const since = before?.state === state ? before.since : new Date().toISOString()
    const retry = whole(message['retrySeconds'])
    const retryAt = retry === 0 ? 0 : Date.now() + retry * 1000
    this.#trunks.set(id, { state, code: whole(message['code']), reason: text(message['reason']), since, retryAt })
  }

  /** Of a trunk that is another one now, nothing has been heard yet. `now` is returned. */
  changed(before: SipConfiguration, now: SipConfiguration): SipConfiguration {
    for (const trunk of before.trunks) {
      const same = now.trunks.find(({ id }) => id === trunk.id)
      if (!isDeepStrictEqual(trunk, same)) this.#trunks.delete(trunk.id)
    }
    return now
  }

  registration(extension: string, contacts: readonly SipContact[]): void {
    const before = this.#contacts.get(extension)
    const same = before !== undefined && before.contacts.length > 0 === contacts.length > 0
    this.#contacts.set(extension, { contacts, since: same ? before.since : new Date().toISOString() })
  }

  /** The configuration with the bindings that were learned since it was written. */
  withRegistrations(configuration: SipConfiguration): SipConfiguration {
    return {
      ...configuration,
      extensions: configuration.extensions.map((extension) => ({
        ...extension,
        contacts: this.#contacts.get(extension.number)?.contacts ?? extension.contacts,
      })),
    }
  }

  list(configuration: SipConfiguration, started: string, callsOf: (kind: 'trunk' | 'extension', id: string) => number): LineStatus[] {
    const fault = this.#engineFault
    const lines: LineStatus[] = []
    for (const trunk of configuration.trunks) {
      const known = this.#trunks.get(trunk.id) ?? unknownTrunk(started)
      const said =
        fault === null
          ? describeTrunk(trunk, known)
          : { ok: false, state: 'unreachable', reason: `pbx-engine is not running: ${fault.reason}` }
      lines.push({
        id: trunk.id,
        kind: 'trunk',
        ...said,
        since: fault?.since ?? known.since,
        activeCalls: callsOf('trunk', trunk.id),
        channels: trunk.channels,
      })
    }
    for (const extension of configuration.extensions) {
      const known = this.#contacts.get(extension.number)
      const said =
        fault === null
          ? describeExtension(
              extension.number,
              (known?.contacts ?? extension.contacts).filter((contact) => contact.expiresAt > Date.now()),
            )
          : { ok: false, state: 'unreachable', reason: `pbx-engine is not running: ${fault.reason}` }
      lines.push({
        id: extension.number,
        kind: 'extension',
        ...said,
        since: fault?.since ?? known?.since ?? started,
        activeCalls: callsOf('extension', extension.number),
        channels: 0,
      })
    }
    return lines
  }
}

interface Words {
  readonly ok: boolean
  readonly state: string
  readonly reason: string
}

function describeTrunk(trunk: SipTrunk, known: TrunkState): Words {
  const answer = [known.code > 0 ? String(known.code) : '', known.state === 'refused' ? phraseOf(known.reason) : known.reason]
    .filter((part) => part !== '')
    .join(' ')
  const seen = answer === '' ? '' : ` (${answer})`
  const again = retryText(known.retryAt)
  switch (known.state) {
    case 'registered':
      return { ok: true, state: 'registered', reason: '' }
    case 'reachable':
      // A peer that should register and only answers OPTIONS takes calls out, but none come in.
      return {
        ok: !trunk.register,
        state: 'reachable',
        reason: trunk.register ? `${trunk.server} answers, but the registration is not done${seen}` : '',
      }
    case 'refused':
      return { ok: false, state: 'refused', reason: `${trunk.server} ${refusalText(known.code)}${seen}${again}` }
    case 'untrusted':
      return { ok: false, state: 'untrusted', reason: `${trunk.server} is not trusted and nothing is sent to it: ${known.reason}` }
    case 'unreachable':
      return { ok: false, state: 'unreachable', reason: `${trunk.server} does not answer${seen}${again}` }
    case 'registering':
      return { ok: false, state: 'not registered', reason: `Registration with ${trunk.server} is under way${seen}` }
    default:
      return trunk.register || trunk.keepAliveSeconds > 0
        ? { ok: false, state: 'unknown', reason: `Nothing was heard from ${trunk.server} yet` }
        : { ok: true, state: 'unknown', reason: `${trunk.server} is not checked: keep-alive is off` }
  }
}

/** Any answer is one: only silence is `unreachable`. */
function refusalText(code: number): string {
  if ([401, 403, 407].includes(code)) return 'refused user name or password'
  if (code === 404) return 'does not know the account'
  return code >= 500 ? 'answers that it cannot take the registration now' : 'refused the registration'
}

function retryText(at: number): string {
  if (at === 0) return ''
  const seconds = Math.max(0, Math.round((at - Date.now()) / 1000))
  return seconds < 90 ? `; tried again in ${seconds} s` : `; tried again in ${Math.round(seconds / 60)} min`
}

function describeExtension(number: string, contacts: readonly SipContact[]): Words {
  if (contacts.length === 0) return { ok: false, state: 'not registered', reason: `No phone is registered as ${number}` }
  return { ok: true, state: 'registered', reason: contacts.length === 1 ? `1 phone, ${contacts[0]!.address}` : `${contacts.length} phones` }
}
