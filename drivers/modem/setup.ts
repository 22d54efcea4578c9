/** From an open port to a modem that waits for calls in its fax class: woken, reset, identified, set up; and hung up. */
import { setTimeout as delay } from 'node:timers/promises'
import type { FaxClass, FaxModem } from '../fax.ts'
import type { AtSession } from './at-session.ts'
import type { Port } from '../serial/port.ts'
import { dialects, modemsOf as modemsOfRate, readAbilities, type Abilities, type Class2 } from './class2/dialects.ts'
import { quirksOf, type Quirks } from './quirks.ts'
import { readCarriers, readClasses } from './results.ts'

export interface Modem {
  readonly model: string
  readonly quirks: Quirks
  readonly classes: readonly string[]
  readonly faxClass: FaxClass
  readonly modems: readonly FaxModem[]
  /** Of a modem that runs the fax itself (class 2). */
  readonly abilities: Abilities | null
}

/** `failed`: one sentence for people. */
export type Prepared = { readonly modem: Modem } | { readonly failed: string }

export interface SetupOptions {
  readonly faxClass: 'auto' | FaxClass
  /** Dial without waiting for a dial tone: behind some exchanges there is none. */
  readonly blindDial: boolean
  /** How many seconds the modem waits for a fax machine (S7). */
  readonly carrierSeconds: number
  /** Further commands for this modem. */
  readonly extra: readonly string[]
  /** Milliseconds for an ordinary answer. */
  readonly answerMs: number
}

const wakeTries = 3
const dtrOffMs = 500
const guardMs = 1100
/** A reset may take so long before the modem hears again. */
const resetTries = 6

/**
 * What ends the data that a modem may believe it is in: of a fax or of what is spoken (DLE ETX), of what is heard (V.253: DLE `!`, older: DLE ESC),
 * of both (DLE `^`). To one among its commands it is a line that is none.
 */
const endsOfData = '\x10\x03\x10!\x10\x1b\x10^\r'

/** AT until it answers; between tries DTR is dropped, then all that ends data, the escape sequence and CAN are sent. */
async function wake(session: AtSession, port: Port, answerMs: number): Promise<boolean> {
  for (let i = 0; i < wakeTries; i++) {
    const { code } = await session.command('AT', answerMs)
    if (code === 'ok') return true
    if (code === 'closed') return false
    if (i === 0 && (await port.setDtr(false))) {
      await delay(dtrOffMs)
      await port.setDtr(true)
    } else {
      session.write(endsOfData)
      await delay(guardMs)
      session.write('+++')
      await delay(guardMs)
      session.write('\x18')
    }
    await port.flush()
  }
  return (await session.command('AT', answerMs)).code === 'ok'
}

async function reset(session: AtSession, answerMs: number): Promise<boolean> {
  const { code: done } = await session.command('ATZ', answerMs)
  // Damaged on its way, it has left the line as it was: off hook, it would be busy to everybody.
  if (done !== 'ok' && done !== 'closed') await session.command('ATH0', answerMs)
  for (let i = 0; i < resetTries; i++) {
    const { code } = await session.command('ATE0Q0V1', Math.min(answerMs, 500 + i * 500))
    if (code === 'ok') return true
    if (code === 'closed') return false
  }
  return false
}

/** `known`: what was found out before, of the same device. */
export async function prepare(session: AtSession, port: Port, options: SetupOptions, known: Modem | null): Promise<Prepared> {
  const { answerMs } = options
  if (!(await wake(session, port, answerMs))) return { failed: 'The modem does not answer' }
  if (!(await reset(session, answerMs))) return { failed: 'The modem does not answer after a reset' }
  const ask = async (command: string): Promise<readonly string[]> => (await session.command(command, answerMs)).lines
  const accepts = async (command: string): Promise<boolean> => (await session.command(command, answerMs)).code === 'ok'

  await accepts(options.blindDial ? 'ATX3' : 'ATX4')
  // Left at 1 by another program, the modem would take calls behind our back.
  if (!(await accepts('ATS0=0'))) return { failed: 'Automatic answering of the modem cannot be switched off (ATS0=0)' }
  const identification = known === null ? [...(await ask('ATI3')), ...(await ask('AT+GMM')), ...(await ask('AT+FMDL?'))] : []
  const quirks = known?.quirks ?? quirksOf(identification)
  session.gapMs = quirks.gapMs
  const classes = known?.classes ?? readClasses(await ask('AT+FCLASS=?'))
  const faxClass = choose(classes, quirks, options.faxClass)
  if (faxClass === null) {
    const offered = classes.length === 0 ? 'no fax class' : `the classes ${classes.join(', ')}`
    const wanted = options.faxClass === 'auto' ? 'is no fax modem' : `has no fax class ${options.faxClass}`
    return { failed: `The modem ${wanted}: it offers ${offered}` }
  }
  for (const command of [
    'AT&C1&D2',
    `ATS7=${options.carrierSeconds}`,
    'ATS8=2',
    'ATM0',
    ...quirks.setup,
    quirks.callerId,
    ...options.extra,
  ]) {
    await accepts(command)
  }
  if (!(await accepts(`AT+FCLASS=${faxClass}`))) return { failed: `The modem refuses its fax class ${faxClass}` }
  for (const command of quirks.classSetup) await accepts(command)
  if (isClass2(faxClass)) {
    // Without it the modem takes no faxes.
    await accepts('AT+FCR=1')
    if (known !== null) return { modem: known }
    const { capabilities, radix } = dialects[faxClass]
    const abilities = readAbilities(await ask(`${capabilities}=?`), radix)
    const { br } = abilities
    const rate = quirks.noV17 === true ? Math.min(br, 3) : br
    return { modem: { model: identification[0] ?? '', quirks, classes, faxClass, modems: modemsOfRate(rate), abilities } }
  }
  await accepts('AT+FAR=1')
  if (known !== null) return { modem: known }
  const both = [readCarriers(await ask('AT+FTM=?')), readCarriers(await ask('AT+FRM=?'))]
  return { modem: { model: identification[0] ?? '', quirks, classes, faxClass, modems: modemsOf(both, quirks), abilities: null } }
}

/** Class 1 whenever there is one: the same T.30 for all lines. */
function choose(classes: readonly string[], quirks: Quirks, wanted: 'auto' | FaxClass): FaxClass | null {
  const order: readonly FaxClass[] = wanted === 'auto' ? [quirks.prefer, '1', '1.0', '2.1', '2.0', '2'] : [wanted]
  return order.find((faxClass) => classes.includes(faxClass)) ?? null
}

export function isClass2(faxClass: FaxClass): faxClass is Class2 {
  return faxClass === '2' || faxClass === '2.0' || faxClass === '2.1'
}

/** Those that it can both send and receive; V.27ter every fax modem has. */
function modemsOf(lists: readonly (readonly number[])[], quirks: Quirks): readonly FaxModem[] {
  const has = (carrier: number): boolean => lists.every((list) => list.includes(carrier))
  const modems: FaxModem[] = []
  if (has(145) && has(146) && quirks.noV17 !== true) modems.push('v17')
  if (has(96)) modems.push('v29')
  return [...modems, 'v27ter']
}

/** On hook, whatever it takes. */
export async function hangUp(session: AtSession, port: Port, answerMs: number): Promise<void> {
  for (let i = 0; i < 2; i++) if ((await session.command('ATH0', Math.min(answerMs * 2, 5000))).code === 'ok') return
  if (await port.setDtr(false)) {
    await delay(dtrOffMs)
    await port.setDtr(true)
  }
}
