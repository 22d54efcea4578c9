/** What a modem's error codes mean for a text: 3GPP TS 27.005 3.2.5 (+CMS, with the causes of 24.011 and 23.040) and 27.007 9.2 (+CME). */

export type Verdict = 'temporary' | 'refused' | 'unknown'

export interface ErrorMeaning {
  readonly verdict: Verdict
  readonly text: string
}

const temporary = (text: string): ErrorMeaning => ({ verdict: 'temporary', text })
const refused = (text: string): ErrorMeaning => ({ verdict: 'refused', text })
const unknown = (text: string): ErrorMeaning => ({ verdict: 'unknown', text })

/** +CMS ERROR. The texts of the standard also name the codes where a modem spells them out (AT+CMEE=2). */
export const cmsErrors: Readonly<Record<number, ErrorMeaning>> = {
  1: refused('unassigned (unallocated) number'),
  8: refused('operator determined barring'),
  10: refused('call barred'),
  17: temporary('network failure'),
  21: refused('short message transfer rejected'),
  22: temporary('congestion'),
  27: temporary('destination out of service'),
  28: refused('unidentified subscriber'),
  29: refused('facility rejected'),
  30: refused('unknown subscriber'),
  38: temporary('network out of order'),
  41: temporary('temporary failure'),
  42: temporary('congestion'),
  47: temporary('resources unavailable, unspecified'),
  50: refused('requested facility not subscribed'),
  69: refused('requested facility not implemented'),
  81: temporary('invalid short message transfer reference value'),
  95: refused('invalid message, unspecified'),
  96: refused('invalid mandatory information'),
  97: refused('message type non-existent or not implemented'),
  98: temporary('message not compatible with short message protocol state'),
  99: refused('information element non-existent or not implemented'),
  111: temporary('protocol error, unspecified'),
  127: temporary('interworking, unspecified'),
  128: refused('telematic interworking not supported'),
  129: refused('short message type 0 not supported'),
  130: refused('cannot replace short message'),
  143: refused('unspecified TP-PID error'),
  144: refused('data coding scheme (alphabet) not supported'),
  145: refused('message class not supported'),
  159: refused('unspecified TP-DCS error'),
  160: temporary('command cannot be actioned'),
  161: refused('command unsupported'),
  175: temporary('unspecified TP-command error'),
  176: refused('TPDU not supported'),
  192: temporary('SC busy'),
  193: refused('no SC subscription'),
  194: temporary('SC system failure'),
  195: refused('invalid SME address'),
  196: refused('destination SME barred'),
  197: unknown('SM rejected-duplicate SM'),
  198: temporary('TP-VPF not supported'),
  199: temporary('TP-VP not supported'),
  208: temporary('D0 SIM SMS storage full'),
  209: temporary('no SMS storage capability in SIM'),
  210: temporary('error in MS'),
  211: temporary('memory capacity exceeded'),
  212: temporary('SIM application toolkit busy'),
  213: temporary('SIM data download error'),
  255: temporary('unspecified error cause'),
  300: temporary('ME failure'),
  301: temporary('SMS service of ME reserved'),
  302: temporary('operation not allowed'),
  303: refused('operation not supported'),
  304: refused('invalid PDU mode parameter'),
  305: refused('invalid text mode parameter'),
  310: temporary('SIM not inserted'),
  311: temporary('SIM PIN required'),
  312: temporary('PH-SIM PIN required'),
  313: temporary('SIM failure'),
  314: temporary('SIM busy'),
  315: temporary('SIM wrong'),
  316: temporary('SIM PUK required'),
  317: temporary('SIM PIN2 required'),
  318: temporary('SIM PUK2 required'),
  320: temporary('memory failure'),
  321: temporary('invalid memory index'),
  322: temporary('memory full'),
  330: temporary('SMSC address unknown'),
  331: temporary('no network service'),
  // The network may have taken the text before its answer was lost.
  332: unknown('network timeout'),
  340: temporary('no +CNMA acknowledgement expected'),
  500: temporary('unknown error'),
}

/** +CME ERROR in answer to a text: the modem, never the network. */
export const cmeErrors: Readonly<Record<number, string>> = {
  3: 'operation not allowed',
  4: 'operation not supported',
  10: 'SIM not inserted',
  11: 'SIM PIN required',
  12: 'SIM PUK required',
  13: 'SIM failure',
  14: 'SIM busy',
  15: 'SIM wrong',
  16: 'incorrect password',
  17: 'SIM PIN2 required',
  18: 'SIM PUK2 required',
  20: 'memory full',
  30: 'no network service',
  31: 'network timeout',
  32: 'network not allowed - emergency calls only',
  100: 'unknown',
}

export interface ModemError {
  /** `plain`: ERROR without a code. */
  readonly kind: 'cms' | 'cme' | 'plain'
  /** -1 where it is not known. */
  readonly code: number
  readonly text: string
}

const cmsByText = new Map(Object.entries(cmsErrors).map(([code, { text }]) => [text.toLowerCase(), Number(code)]))
const cmeByText = new Map(Object.entries(cmeErrors).map(([code, text]) => [text.toLowerCase(), Number(code)]))

/** The line of an error; null where it is none. Codes may be numbers or words. */
export function readError(line: string): ModemError | null {
  if (/^(ERROR|COMMAND NOT SUPPORT|TOO MANY PARAMETERS)$/.test(line)) return { kind: 'plain', code: -1, text: line }
  const match = /^\+CM([SE]) ERROR:?\s*(.*)$/.exec(line)
  if (match === null) return null
  const kind = match[1] === 'S' ? 'cms' : 'cme'
  const value = match[2]!.trim()
  const code = /^\d+$/.test(value) ? Number(value) : ((kind === 'cms' ? cmsByText : cmeByText).get(value.toLowerCase()) ?? -1)
  const text = (kind === 'cms' ? cmsErrors[code]?.text : cmeErrors[code]) ?? value
  return { kind, code, text }
}

/** What becomes of a text that was answered so. 512 and above are the maker's own; most mean a modem that is not ready. */
export function judge(error: ModemError): ErrorMeaning {
  const known = error.kind === 'cms' ? cmsErrors[error.code] : undefined
  return known ?? temporary(error.kind === 'plain' ? 'The modem gave no reason' : error.text)
}
