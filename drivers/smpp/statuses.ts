/** Values of command_status (SMPP 3.4, 5.1.3): what they mean for a text, and in words. */

type Effect =
  /** The text was not taken; later it may be. */
  | 'temporary'
  /** The text will never be taken. */
  | 'refused'

interface Status {
  readonly name: string
  readonly effect: Effect
  readonly text: string
}

const row = (name: string, effect: Effect, text: string): Status => ({ name, effect, text })

const statuses: Readonly<Record<number, Status>> = {
  0x01: row('ESME_RINVMSGLEN', 'refused', 'the service says that the message is too long'),
  0x02: row('ESME_RINVCMDLEN', 'refused', 'the service could not read the request'),
  0x03: row('ESME_RINVCMDID', 'refused', 'the service does not know this request'),
  0x04: row('ESME_RINVBNDSTS', 'temporary', 'the service says that the account is not logged in'),
  0x05: row(
    'ESME_RALYBND',
    'temporary',
    'the account is in use already: by another program, or by a connection that the service has not given up yet',
  ),
  0x06: row('ESME_RINVPRTFLG', 'refused', 'the service does not take this priority'),
  0x07: row('ESME_RINVREGDLVFLG', 'refused', 'the service does not give receipts to this account'),
  0x08: row('ESME_RSYSERR', 'temporary', 'the service has a fault'),
  0x0a: row('ESME_RINVSRCADR', 'refused', 'the service does not permit this sender'),
  0x0b: row('ESME_RINVDSTADR', 'refused', 'the service says that the number of the recipient is not valid'),
  0x0c: row('ESME_RINVMSGID', 'refused', 'the service does not know the message'),
  0x0d: row('ESME_RBINDFAIL', 'temporary', 'the service refuses the login'),
  0x0e: row('ESME_RINVPASWD', 'temporary', 'the service says that the password is wrong'),
  0x0f: row('ESME_RINVSYSID', 'temporary', 'the service does not know this system ID'),
  0x14: row('ESME_RMSGQFUL', 'temporary', 'the queue of the service is full'),
  0x15: row('ESME_RINVSERTYP', 'refused', 'the service does not know this type of service'),
  0x33: row('ESME_RINVNUMDESTS', 'refused', 'the service does not take this number of recipients'),
  0x43: row('ESME_RINVESMCLASS', 'refused', 'the service does not take texts in parts'),
  0x45: row('ESME_RSUBMITFAIL', 'temporary', 'the service could not take the message'),
  0x48: row('ESME_RINVSRCTON', 'refused', 'the service does not permit this kind of sender'),
  0x49: row('ESME_RINVSRCNPI', 'refused', 'the service does not permit this kind of sender'),
  0x50: row('ESME_RINVDSTTON', 'refused', 'the service does not send to this kind of number'),
  0x51: row('ESME_RINVDSTNPI', 'refused', 'the service does not send to this kind of number'),
  0x53: row('ESME_RINVSYSTYP', 'temporary', 'the service does not know this system type'),
  0x58: row('ESME_RTHROTTLED', 'temporary', 'more texts a second than the account may send'),
  0x61: row('ESME_RINVSCHED', 'refused', 'the service does not take the time of sending'),
  0x62: row('ESME_RINVEXPIRY', 'refused', 'the service does not take the validity'),
  0x64: row('ESME_RX_T_APPN', 'temporary', 'the service cannot take the message now'),
  0x65: row('ESME_RX_P_APPN', 'refused', 'the service does not take the message'),
  0x66: row('ESME_RX_R_APPN', 'refused', 'the service rejects the message'),
  0xc0: row('ESME_RINVOPTPARSTREAM', 'refused', 'the service could not read the request'),
  0xc1: row('ESME_ROPTPARNOTALLWD', 'refused', 'the service does not permit a part of the request'),
  0xc2: row('ESME_RINVPARLEN', 'refused', 'the service could not read the request'),
  0xc3: row('ESME_RMISSINGOPTPARAM', 'refused', 'the service misses a part of the request'),
  0xc4: row('ESME_RINVOPTPARAMVAL', 'refused', 'the service does not take a value of the request'),
  0xfe: row('ESME_RDELIVERYFAILURE', 'refused', 'the network could not deliver the message'),
  0xff: row('ESME_RUNKNOWNERR', 'temporary', 'the service has a fault that it does not name'),
}

/** A code that the standard does not have is the service's own: the text was not taken, and more is not known. */
export function statusOf(code: number): Status {
  const hex = `0x${code.toString(16).padStart(2, '0')}`
  return statuses[code] ?? row(hex, 'temporary', `the service answered with its own code ${hex}`)
}

export const throttled = 0x58
/** Answers to a message of the service: not now, send it again; and never. */
export const tryAgain = 0x64
export const rejected = 0x66
export const unknownCommand = 0x03

/** Codes of a login that only a person can repair. */
const hopeless: ReadonlySet<number> = new Set([0x03, 0x0d, 0x0e, 0x0f, 0x53, 0x65, 0x66])
export const needsPerson = (code: number): boolean => hopeless.has(code)
