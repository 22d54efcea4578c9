/** What a modem's answer to ATD or ATA means for the fax. Pure. */
import type { FaxDialResult, FaxLineResult } from '../fax.ts'
import type { Reply } from './at-session.ts'
import { callDropped, nothingYet } from './fax-program.ts'

/** `seconds` since the number was dialled; `carrierSeconds` is the modem's patience (S7). */
export function dialResult(code: Reply['code'], seconds: number, carrierSeconds: number): FaxDialResult {
  switch (code) {
    case 'connect':
      return 'connected'
    case 'busy':
    case 'no-answer':
    case 'no-dialtone':
    case 'blacklisted':
    case 'delayed':
      return code
    case 'ring':
      return 'glare'
    case 'voice':
      return 'not-a-fax'
    // At once: the line or the exchange dropped it. After all the modem's patience: somebody, or something, is no fax.
    case 'no-carrier':
    case 'fax-carrier-error':
    case 'ok':
      return seconds >= carrierSeconds * 0.9 ? 'not-a-fax' : 'no-carrier'
    case 'error':
    case 'timeout':
    case 'closed':
      return 'modem-fault'
  }
}

const words: Readonly<Record<FaxDialResult, string>> = {
  connected: '',
  busy: 'The number is busy',
  'no-answer': 'Nobody answered',
  'no-dialtone': 'There is no dial tone on the line: is the cable plugged in?',
  'no-carrier': 'The call was cut off before a fax machine was heard',
  'not-a-fax': 'The call was answered, but no fax machine was heard',
  glare: 'A call came in while the number was dialled',
  delayed: 'The modem refuses to dial this number again so soon',
  blacklisted: 'The modem refuses to dial this number again: it failed too often',
  'modem-fault': 'The modem stopped answering',
  canceled: 'The fax was stopped',
}

export function dialText(result: FaxDialResult, said: string): string {
  const wait = result === 'delayed' ? /\d+:\d\d(:\d\d)?/.exec(said)?.[0] : undefined
  return wait === undefined ? words[result] : `${words[result]} (it says: in ${wait})`
}

/** The result of a call that met no fax machine. */
export function undialled(dial: FaxDialResult, text: string): FaxLineResult {
  return { ...nothingYet, code: callDropped, text, badRows: 0, unconfirmedLastPage: false, dial, heardFax: false }
}
