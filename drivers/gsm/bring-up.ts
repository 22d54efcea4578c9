/** A modem from its first answer to one that sends and receives: identity, PIN, PDU mode, storage, notices. What a modem refuses has a second best. */
import type { AtChannel, AtReply } from './at-channel.ts'
import { valuesOf } from './lines.ts'
import { unlock, type CardFault } from './sim-card.ts'

export interface Modem {
  readonly maker: string
  readonly model: string
  /** Only its end. */
  readonly imei: string
  /** Memories texts may lie in, that of new ones first. */
  readonly memories: readonly string[]
  /** AT+CSMS=1: what the modem hands over directly waits for AT+CNMA. */
  readonly acknowledges: boolean
  /** What the modem took of the wishes for notices; null where it takes none and is only polled. */
  readonly notices: string | null
  readonly serviceCentre: string
}

export interface BringUpOptions {
  readonly device: string
  readonly pin: string | null
  readonly serviceCentre: string | null
  /** Between tries while the SIM card is busy. */
  readonly busyMs: number
  readonly stopped: () => boolean
}

export type BroughtUp = { readonly modem: Modem } | { readonly fault: CardFault } | { readonly silent: true }

/** AT+CNMI, best first: texts stored and announced, reports handed over; reports stored; held notices; no reports. */
const noticeWishes = ['2,1,0,1,0', '2,1,0,2,0', '1,1,0,1,0', '1,1,0,2,0', '3,1,0,1,0', '2,1,0,0,0', '1,1,0,0,0', '1,1']

const missing = ({ code }: AtReply): boolean => code === 'timeout' || code === 'closed'

export async function bringUp(at: AtChannel, options: BringUpOptions): Promise<BroughtUp> {
  if (missing(await at.command('ATE0'))) return { silent: true }
  // Some refuse numbers; then errors come in words.
  if ((await at.command('AT+CMEE=1')).code === 'error') await at.command('AT+CMEE=2')
  const maker = identity(await at.command('AT+CGMI'))
  const model = identity(await at.command('AT+CGMM'))
  const imei = identity(await at.command('AT+CGSN')).replaceAll(/\D/g, '')

  const locked = await unlock(at, options)
  if (locked === 'silent') return { silent: true }
  if (locked !== null) return { fault: locked }

  const pduMode = await insist(at, 'AT+CMGF=0', options)
  if (missing(pduMode)) return { silent: true }
  if (pduMode.code === 'error') return { fault: { state: 'faulty', text: 'The modem has no PDU mode, so it cannot carry texts' } }
  const acknowledges = (await at.command('AT+CSMS=1')).code === 'ok'
  const memories = await chooseMemories(at, options)
  if (memories.length === 0) return { fault: { state: 'faulty', text: 'The modem gives no access to its memories' } }
  let notices: string | null = null
  for (const wish of noticeWishes) {
    const reply = await at.command(`AT+CNMI=${wish}`)
    if (missing(reply)) return { silent: true }
    if (reply.code !== 'ok') continue
    notices = wish
    break
  }
  if (options.serviceCentre !== null)
    await at.command(`AT+CSCA="${options.serviceCentre}",${options.serviceCentre.startsWith('+') ? 145 : 129}`)
  const centre = await at.command('AT+CSCA?')
  if (missing(centre)) return { silent: true }
  return {
    modem: {
      maker,
      model,
      imei: imei === '' ? '' : `***${imei.slice(-4)}`,
      memories,
      acknowledges,
      notices,
      serviceCentre: valuesOf(centre.lines, '+CSCA')?.[0] ?? '',
    },
  }
}

/** A card that was just unlocked refuses its memories for some seconds. */
async function insist(at: AtChannel, command: string, { busyMs, stopped }: BringUpOptions): Promise<AtReply> {
  let reply = await at.command(command)
  for (let i = 0; i < 5 && reply.code === 'error' && !stopped(); i++) {
    await new Promise((done) => setTimeout(done, busyMs))
    reply = await at.command(command)
  }
  return reply
}

/** `+CGMM: "EC25"`, `Model: E3372` or just the name. */
function identity({ code, lines }: AtReply): string {
  if (code !== 'ok') return ''
  return (lines[0] ?? '')
    .replace(/^(\+CG\w+|Model|Manufacturer|IMEI)\s*:\s*/i, '')
    .replaceAll('"', '')
    .trim()
    .slice(0, 64)
}

/** New texts go to the SIM card, which survives the modem; texts that an earlier owner left in the modem are fetched too. */
async function chooseMemories(at: AtChannel, options: BringUpOptions): Promise<string[]> {
  const offered = await at.command('AT+CPMS=?')
  const readable = /\(([^)]*)\)/.exec(offered.lines.join(''))?.[1] ?? ''
  const known = ['SM', 'ME'].filter((memory) => readable.includes(`"${memory}"`))
  const wanted = known.length > 0 ? known : ['SM', 'ME']
  const taken: string[] = []
  let receiving = false
  for (const memory of wanted) {
    if (!receiving && (await insist(at, `AT+CPMS="${memory}","${memory}","${memory}"`, options)).code === 'ok') receiving = true
    else if ((await at.command(`AT+CPMS="${memory}"`)).code !== 'ok') continue
    taken.push(memory)
  }
  return taken
}
