/** What a GSM modem says, byte to line (ITU-T V.250, 3GPP TS 27.005): lines, and the prompt that ends in no line. Pure. */

const longestLine = 4096

export type ModemToken = { readonly kind: 'line'; readonly text: string } | { readonly kind: 'prompt' }

export class LineParser {
  #line = ''

  /** `prompting`: a `>` at the start of a line is the prompt of AT+CMGS. */
  take(bytes: Uint8Array, prompting: () => boolean, found: (token: ModemToken) => void): void {
    for (const byte of bytes) {
      if (byte === 10 || byte === 13) {
        const text = this.#line.trim()
        this.#line = ''
        if (text !== '') found({ kind: 'line', text })
      } else if (byte === 62 && prompting() && this.#line.trim() === '') {
        this.#line = ''
        found({ kind: 'prompt' })
      } else if (byte >= 32 && byte < 127 && this.#line.length < longestLine) this.#line += String.fromCharCode(byte)
    }
  }

  restart(): void {
    this.#line = ''
  }
}

/** Something that no command asked for. */
export type Notice =
  | { readonly kind: 'stored'; readonly memory: string; readonly index: number }
  /** A text or a report handed over directly: with AT+CSMS=1 it must be acknowledged. */
  | { readonly kind: 'direct'; readonly pdu: string }
  | { readonly kind: 'full' }
  /** The modem has restarted: it is in no known mode. */
  | { readonly kind: 'restarted' }
  /** A modem that started says that the SIM card can be used now. */
  | { readonly kind: 'awake' }
  | { readonly kind: 'other'; readonly text: string }

/** Headers of notices whose next line is a PDU. */
export const directHeader = /^\+(CMT|CDS):/

export function readNotice(line: string): Notice {
  const stored = /^\+C(?:MT|DS)I:\s*"?(\w+)"?\s*,\s*(\d+)$/.exec(line)
  if (stored !== null) return { kind: 'stored', memory: stored[1]!, index: Number(stored[2]) }
  if (/^(\^SMMEMFULL|\+SMSFULL|\*SMSFULL|%CMGRS)\b/.test(line)) return { kind: 'full' }
  if (/^(RDY|\^SYSSTART|START)$/.test(line)) return { kind: 'restarted' }
  if (/^(SMS Ready|Call Ready|SMS DONE|PB DONE)$/i.test(line)) return { kind: 'awake' }
  return { kind: 'other', text: line }
}

/** `+CSQ: 1,"a,b",3` to its values, quotes gone; null where no line has the name. */
export function valuesOf(lines: readonly string[], name: string): string[] | null {
  const line = lines.find((text) => text.startsWith(`${name}:`))
  if (line === undefined) return null
  return [...line.slice(name.length + 1).matchAll(/\s*(?:"([^"]*)"|([^,]*))(?:,|$)/g)]
    .slice(0, -1)
    .map((match) => (match[1] ?? match[2] ?? '').trim())
}
