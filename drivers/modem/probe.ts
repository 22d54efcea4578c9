/** Which serial devices there are, by the names that stay, and what is at one that nobody has configured yet: whether a modem answers, what it can, whether its line gives a dial tone. */
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { openPort, PortError } from '../serial/port.ts'
import { AtSession } from './at-session.ts'
import { readClasses } from './results.ts'
import { hangUp, prepare } from './setup.ts'
import type { FaxLineTest } from '../fax.ts'

/** Tries out a modem that waits for calls: whether it answers, what it is, whether its line gives a dial tone. */
const dialToneMs = 10_000

/** Leaves the modem off hook and out of its fax class. */
export async function testLine(session: AtSession, answerMs: number, speed: number): Promise<FaxLineTest> {
  const answered = (await session.command('AT', answerMs)).code === 'ok'
  if (!answered) return { answered, identification: [], classes: '', dialTone: 'unknown', levels: null }
  const identification: string[] = []
  for (const command of ['ATI0', 'ATI3', 'AT+GMM']) {
    const { code, lines } = await session.command(command, answerMs)
    if (code === 'ok') identification.push(...lines.filter((line) => !identification.includes(line)))
  }
  const classes = (await session.command('AT+FCLASS=?', answerMs)).lines.join(' ')
  await session.command('AT+FCLASS=0', answerMs)
  await session.command('ATX4', answerMs)
  // Dials nothing: with X4 the modem waits for the dial tone first, and with ; it stays with its commands afterwards.
  const { code } = await session.command('ATDT;', answerMs + dialToneMs / speed)
  const dialTone = code === 'ok' ? 'heard' : code === 'no-dialtone' ? 'none' : 'unknown'
  return { answered, identification, classes, dialTone, levels: null }
}

export interface Found {
  /** modem: for faxes or calls. gsm: of texts. nothing: what is there gives no answer. closed: it could not be opened. */
  readonly kind: 'modem' | 'gsm' | 'nothing' | 'closed'
  readonly identification: readonly string[]
  readonly roles: readonly ('voice' | 'fax')[]
  readonly dialTone: 'heard' | 'none' | 'unknown'
  /** Why nothing was found; "" otherwise. */
  readonly reason: string
}

const setup = { faxClass: 'auto', blindDial: false, carrierSeconds: 60, extra: [] } as const
const nothing = { identification: [], roles: [], dialTone: 'unknown' } as const

/** Takes some seconds, in which nobody else has the device. `speed`: of a modem that runs faster than time. */
export async function probe(device: string, { answerMs = 3000, speed = 1 }: { answerMs?: number; speed?: number } = {}): Promise<Found> {
  let session: AtSession | undefined
  try {
    const port = await openPort(
      device,
      { baudRate: 115_200, rtscts: true },
      { data: (bytes) => session?.onData(bytes), closed: () => session?.closed() },
    )
    session = new AtSession(port, { ring: () => undefined, caller: () => undefined })
    try {
      const prepared = await prepare(session, port, { ...setup, answerMs }, null)
      const { answered, identification, classes, dialTone } = await testLine(session, answerMs, speed)
      if (!answered) return { ...nothing, kind: 'nothing', reason: 'failed' in prepared ? prepared.failed : 'no modem answers' }
      const all = readClasses([classes])
      const roles = [...(all.includes('8') ? (['voice'] as const) : []), ...('modem' in prepared ? (['fax'] as const) : [])]
      if (roles.length > 0) return { kind: 'modem', identification, roles, dialTone, reason: '' }
      // A GSM modem knows its network.
      const gsm = (await session.command('AT+CREG?', answerMs)).code === 'ok'
      return { ...nothing, kind: gsm ? 'gsm' : 'modem', identification, reason: gsm || !('failed' in prepared) ? '' : prepared.failed }
    } finally {
      await hangUp(session, port, answerMs)
      await port.close()
    }
  } catch (error) {
    if (!(error instanceof PortError)) throw error
    return { ...nothing, kind: 'closed', reason: error.message }
  }
}

/** By /dev/serial/by-id where each has a name of its own, else by-path; what udev gave no name is taken as it is. */
export function serialDevices(dev = '/dev'): string[] {
  const named = new Map<string, string>()
  for (const folder of ['by-path', 'by-id']) {
    const place = join(dev, 'serial', folder)
    for (const name of existsSync(place) ? readdirSync(place).toSorted() : []) {
      // Adapters without a number of their own have all the same name there: the socket distinguishes them.
      const own = folder === 'by-path' || /_[0-9A-Za-z.]*\d[0-9A-Za-z.]*-if\d/.test(name)
      if (own || !named.has(realDevice(join(place, name)))) named.set(realDevice(join(place, name)), join(place, name))
    }
  }
  for (const name of readdirSync(dev).toSorted())
    if (/^tty(ACM|USB)\d+$/.test(name) && !named.has(join(dev, name))) named.set(join(dev, name), join(dev, name))
  return [...named.values()].toSorted()
}

/** Of a name that leads to it. */
export function realDevice(device: string): string {
  try {
    return realpathSync(device)
  } catch {
    return device
  }
}
