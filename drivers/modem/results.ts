/** What a modem says between commands, byte to meaning (ITU-T V.250, T.31). Pure. */

export type ResultCode =
  | 'ok'
  | 'error'
  | 'connect'
  | 'no-carrier'
  | 'busy'
  | 'no-answer'
  | 'no-dialtone'
  | 'blacklisted'
  | 'delayed'
  | 'voice'
  | 'fax-carrier-error'

export type ModemEvent =
  | { readonly kind: 'result'; readonly code: ResultCode; readonly text: string }
  | { readonly kind: 'ring'; readonly text: string }
  /** A line of caller identification, such as NMBR = 5551234. */
  | { readonly kind: 'caller'; readonly field: string; readonly value: string }
  /** A part of a ring (V.253): ringing, or a rest. */
  | { readonly kind: 'cadence'; readonly on: boolean; readonly ms: number }
  | { readonly kind: 'text'; readonly text: string }

const longestLine = 512

const results: readonly (readonly [RegExp, ResultCode])[] = [
  [/^OK$/, 'ok'],
  [/^(ERROR|\+CM[ES] ERROR.*)$/, 'error'],
  [/^CONNECT\b/, 'connect'],
  [/^NO CARRIER\b/, 'no-carrier'],
  [/^BUSY$/, 'busy'],
  [/^NO ANSWER$/, 'no-answer'],
  [/^NO DIAL ?TONE$/, 'no-dialtone'],
  [/^BLACK ?LISTED\b/, 'blacklisted'],
  [/^DELAYED\b/, 'delayed'],
  [/^(VCON|VOICE)$/, 'voice'],
  [/^\+FCERROR\b/, 'fax-carrier-error'],
]

export function readLine(text: string): ModemEvent {
  for (const [pattern, code] of results) if (pattern.test(text)) return { kind: 'result', code, text }
  if (/^RING\b/.test(text)) return { kind: 'ring', text }
  const caller = /^(DATE|TIME|NAME|NMBR|MESG|DDN_NMBR|ANID|USER|PASS|CDID|NDID)\s*[=:]\s*(.*)$/.exec(text)
  if (caller !== null) return { kind: 'caller', field: caller[1]!, value: caller[2]!.trim() }
  const part = /^DRO(N|F)\s*[=:]\s*(\d{1,3})$/.exec(text)
  if (part !== null) return { kind: 'cadence', on: part[1] === 'N', ms: Number(part[2]) * 100 }
  return { kind: 'text', text }
}

/** Lines out of chunks. Stops behind CONNECT: what follows is data and comes back as `rest`. */
export class ResultParser {
  #line = ''

  take(bytes: Uint8Array): { readonly events: ModemEvent[]; readonly rest: Uint8Array } {
    const events: ModemEvent[] = []
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!
      // Lines end with LF, not with CR: the LF of "CONNECT" is not data.
      if (byte !== 10) {
        if (byte >= 32 && byte < 127 && this.#line.length < longestLine) this.#line += String.fromCharCode(byte)
        continue
      }
      const text = this.#line.trim()
      this.#line = ''
      if (text === '') continue
      const event = readLine(text)
      events.push(event)
      if (event.kind === 'result' && event.code === 'connect') return { events, rest: bytes.subarray(i + 1) }
    }
    return { events, rest: bytes.subarray(bytes.length) }
  }

  restart(): void {
    this.#line = ''
  }
}

export interface Caller {
  readonly number: string
  readonly name: string
}

/** P: withheld, O: not available in the caller's network; words where a modem spells them out. */
const nobody = /^(P|O|PRIVATE|UNAVAILABLE|OUT[ -]OF[ -]AREA|ANONYMOUS|-)?$/i

const withheld = /^(P|PRIVATE|ANONYMOUS)$/i

export function callerOf(fields: ReadonlyMap<string, string>): Caller {
  const value = (field: string): string => {
    const text = (fields.get(field) ?? '').replaceAll('"', '').trim()
    return nobody.test(text) ? '' : text
  }
  // A caller who withholds the number has no name either, whatever the exchange sends next to it.
  if (withheld.test((fields.get('NMBR') ?? '').replaceAll('"', '').trim())) return { number: '', name: '' }
  return { number: (value('NMBR') || value('DDN_NMBR')).replaceAll(/[^0-9+*#]/g, '').slice(0, 32), name: value('NAME').slice(0, 64) }
}

/** `0,1,1.0,2` or `("0","1")` or `(0,1,2.0,8)` */
export function readClasses(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.replace(/^\+FCLASS\s*[:=]\s*/, '').match(/\d+(\.\d+)?/g) ?? [])
}

/** Carriers of +FTM=? and +FRM=?: `24,48,72`, `(24,48)`, or ranges such as `3,24,(72-74)`. */
export function readCarriers(lines: readonly string[]): readonly number[] {
  const all = lines.join(',').replace(/^\+F[TR]M\s*[:=]\s*/, '')
  const found: number[] = []
  for (const [, from, to] of all.matchAll(/(\d+)(?:-(\d+))?/g)) {
    const last = Math.min(Number(to ?? from), 146)
    for (let n = Number(from); n <= last; n++) found.push(n)
  }
  return [...new Set(found)]
}
