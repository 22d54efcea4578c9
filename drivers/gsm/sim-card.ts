/** The SIM card's state and its PIN (3GPP TS 27.007 8.3). A PIN is given once: after three wrong ones the card is locked. */
import type { AtChannel, AtReply } from './at-channel.ts'
import type { BringUpOptions } from './bring-up.ts'
import { valuesOf } from './lines.ts'

export interface CardFault {
  readonly state: 'no-sim' | 'pin-needed' | 'puk-needed' | 'faulty'
  readonly text: string
}

/** PINs that were given, by device, for the life of the program: a trunk that is created again does not try again. */
const given = new Map<string, Set<string>>()
/** Devices that were unplugged before they answered: there the card's own count decides, once. */
const unanswered = new Set<string>()

/** 27.007 9.2.1; a busy card answers later. */
const busy: readonly number[] = [14, 314]
const absent: readonly number[] = [10, 310]
const wrongOrBroken: readonly number[] = [13, 15, 313, 315]
const longestBusy = 30

/** Makers' ways to ask how often the PIN may still be wrong, and which value says it. */
const counters: readonly (readonly [command: string, name: string, value: number])[] = [
  ['AT+CPINR="SIM PIN"', '+CPINR', 1],
  ['AT+QPINC="SC"', '+QPINC', 1],
  ['AT+SPIC', '+SPIC', 0],
  ['AT^CPIN?', '^CPIN', 1],
]

const mutePolls = 3

/** Null where the card is ready. */
export async function unlock(at: AtChannel, options: BringUpOptions): Promise<CardFault | 'silent' | null> {
  for (let i = 0; i < longestBusy && !options.stopped(); i++) {
    const reply = await at.command('AT+CPIN?')
    if (reply.code === 'timeout' || reply.code === 'closed') return 'silent'
    const fault = reply.code === 'ok' ? await byState(at, reply, options) : byError(reply)
    if (fault !== 'again') return fault
    // Neither ready nor locked, again and again: a modem that does not say. It will refuse texts where that is wrong.
    if (reply.code === 'ok' && reply.lines.length === 0 && i >= mutePolls) return null
    await new Promise((done) => setTimeout(done, options.busyMs))
  }
  return { state: 'faulty', text: 'The SIM card does not become ready' }
}

function byError({ error }: AtReply): CardFault | 'again' | null {
  const code = error?.code ?? -1
  if (absent.includes(code)) return { state: 'no-sim', text: 'There is no SIM card in the modem' }
  if (wrongOrBroken.includes(code)) return { state: 'no-sim', text: 'The modem cannot read the SIM card' }
  if (code === 12) return { state: 'puk-needed', text: pukText }
  // Modems without the command have no PIN either.
  return busy.includes(code) ? 'again' : code === -1 ? null : 'again'
}

const pukText = 'The SIM card is locked: enter its PUK on a mobile phone'

async function byState(at: AtChannel, reply: AtReply, options: BringUpOptions): Promise<CardFault | 'again' | null> {
  const state = valuesOf(reply.lines, '+CPIN')?.[0] ?? ''
  if (state === 'READY') return null
  if (state === '') return 'again'
  if (/PUK/.test(state)) return { state: 'puk-needed', text: pukText }
  if (state !== 'SIM PIN') return { state: 'pin-needed', text: `The SIM card needs ${state}, which this trunk cannot provide` }
  const { pin, device } = options
  if (pin === null) return { state: 'pin-needed', text: 'The SIM card needs its PIN, but none is configured (sms.trunks[].pin)' }
  if (!/^\d{4,8}$/.test(pin)) return { state: 'pin-needed', text: 'The PIN in the configuration is not 4 to 8 digits' }
  const tried = given.get(device) ?? new Set()
  const left = await triesLeft(at)
  const again = unanswered.delete(device) && left === 3
  if (tried.has(pin) && !again)
    return { state: 'pin-needed', text: 'The SIM card refused the configured PIN; the box does not try it again' }
  if (left !== null && left < 3) {
    const text = `A wrong PIN was given before and ${left} ${left === 1 ? 'try is' : 'tries are'} left: unlock the SIM card on a mobile phone first`
    return { state: 'pin-needed', text }
  }
  given.set(device, tried.add(pin))
  const { code, error } = await at.command(`AT+CPIN="${pin}"`)
  if (code === 'ok') {
    // Right: it may be given again after a replug.
    tried.delete(pin)
    return 'again'
  }
  if (code === 'timeout' || code === 'closed') unanswered.add(device)
  if (code === 'error' && error !== null && busy.includes(error.code)) tried.delete(pin)
  return 'again'
}

async function triesLeft(at: AtChannel): Promise<number | null> {
  for (const [command, name, value] of counters) {
    const { code, lines } = await at.command(command)
    if (code !== 'ok') continue
    const count = Number(valuesOf(lines, name)?.[value] ?? Number.NaN)
    if (Number.isInteger(count)) return count
  }
  return null
}
