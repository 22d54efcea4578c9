/** The commands of the simulated modem, one function a command; 27.005 for +CM and +CN, 27.007 for the others. */
import type { Memory, SimCard } from './card.ts'
import type { SimNetwork } from './network.ts'
import { pduLength } from './pdu.ts'
import type { Quirks } from './quirks.ts'

/** What a modem forgets without power. */
export interface Session {
  readonly card: SimCard
  readonly network: SimNetwork
  readonly quirks: Quirks
  echo: boolean
  /** AT+CMEE. */
  errors: number
  pduMode: boolean
  phase2plus: boolean
  unlocked: boolean
  busyCard: number
  reading: 'SM' | 'ME'
  receiving: 'SM' | 'ME'
  /** AT+CNMI, mt and ds. */
  texts: number
  reports: number
  /** A slot is empty again, or notices are asked for. */
  readonly freed: () => void
  /** False where nothing waits for it. */
  readonly acknowledge: () => boolean
}

/** `error`: `CMS 42`, `CME 10`, or '' for ERROR. */
export type Answer = { readonly lines: readonly string[] } | { readonly error: string }

type Command = (session: Session, value: string) => Answer

const ok: Answer = { lines: [] }
const failed: Answer = { error: '' }
const say = (...lines: string[]): Answer => ({ lines })
const listOf = (value: string): string[] => value.split(',').map((part) => part.trim().replaceAll('"', ''))
const isMemory = (session: Session, name: string | undefined): name is 'SM' | 'ME' =>
  name !== undefined && session.quirks.memories.includes(name)

function use({ card, reading, receiving }: Session): string {
  return [reading, receiving, receiving].map((name) => `${card.memories[name].slots.size},${card.memories[name].capacity}`).join(',')
}

function pinState(session: Session): Answer {
  if (session.busyCard > 0) {
    session.busyCard--
    return { error: 'CME 14' }
  }
  if (session.unlocked) return say('+CPIN: READY')
  return say(`+CPIN: ${session.card.tries === 0 ? 'SIM PUK' : 'SIM PIN'}`)
}

function givePin(session: Session, value: string): Answer {
  if (session.unlocked) return { error: 'CME 3' }
  session.unlocked = session.card.unlock(listOf(value)[0] ?? '')
  if (session.unlocked) session.freed()
  return session.unlocked ? ok : { error: session.card.tries === 0 ? 'CME 12' : 'CME 16' }
}

function counter(name: string, line: (tries: number) => string): Command {
  return ({ card, quirks }) => (quirks.pinCounter === name ? say(line(card.tries)) : failed)
}

function notices(session: Session, value: string): Answer {
  const [mode = 0, texts = 0, , reports = 0] = listOf(value).map(Number)
  const { noticeModes, reportRoutes } = session.quirks
  if (!noticeModes.includes(mode) || !reportRoutes.includes(reports) || texts > 2) return { error: 'CMS 303' }
  session.texts = texts
  session.reports = reports
  session.freed()
  return ok
}

function memories(session: Session, value: string): Answer {
  const [reading, , receiving] = listOf(value)
  if (!isMemory(session, reading) || (receiving !== undefined && !isMemory(session, receiving))) return { error: 'CMS 302' }
  session.reading = reading
  if (isMemory(session, receiving)) session.receiving = receiving
  return say(`+CPMS: ${use(session)}`)
}

const selected = ({ card, reading }: Session): Memory => card.memories[reading]

function list(session: Session, value: string): Answer {
  if (!session.quirks.listsMessages) return failed
  const wanted = Number(value === '' ? 0 : value)
  const lines = [...selected(session).slots]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([index, stored]) => {
      if (wanted !== 4 && stored.status !== wanted) return []
      const header = `+CMGL: ${index},${stored.status},,${pduLength(stored.pdu)}`
      if (stored.status === 0) stored.status = 1
      return [header, stored.pdu]
    })
  return say(...lines)
}

function read(session: Session, value: string): Answer {
  const stored = selected(session).slots.get(Number(value))
  if (stored === undefined) return { error: 'CMS 321' }
  const header = `+CMGR: ${stored.status},,${pduLength(stored.pdu)}`
  if (stored.status === 0) stored.status = 1
  return say(header, stored.pdu)
}

function remove(session: Session, value: string): Answer {
  if (!selected(session).slots.delete(Number(listOf(value)[0]))) return { error: 'CMS 321' }
  session.freed()
  return ok
}

function number(most: number, set: (session: Session, value: number) => void): Command {
  return (session, value) => {
    if (!/^\d$/.test(value) || Number(value) > most) return failed
    set(session, Number(value))
    return ok
  }
}

const registered = (session: Session, name: string, hidden: boolean): Answer =>
  say(`${name}: 0,${hidden ? 0 : session.unlocked ? session.network.registration : 0}`)

/** By name and form. `always`: without a SIM card, or before its PIN. */
const always: Readonly<Record<string, Command>> = {
  '': () => ok,
  E0: (session) => ((session.echo = false), ok),
  E1: (session) => ((session.echo = true), ok),
  '+CMEE=': number(2, (session, value) => (session.errors = value)),
  '+CGMI': () => say('Simulated'),
  '+CGMM': () => say('GSM modem'),
  '+CGSN': () => say('356938035643809'),
  '+CSQ': ({ network }) => say(`+CSQ: ${network.signal},99`),
  '+CREG?': (session) => registered(session, '+CREG', session.quirks.onlyLte),
  '+CEREG?': (session) => registered(session, '+CEREG', false),
  '+COPS?': ({ network }) =>
    say(network.registration === 1 || network.registration === 5 ? `+COPS: 0,0,"${network.operator}",7` : '+COPS: 0'),
  '+CMGF?': (session) => say(`+CMGF: ${session.pduMode ? 0 : 1}`),
}

const withCard: Readonly<Record<string, Command>> = {
  '+CPIN?': pinState,
  '+CPIN=': givePin,
  '+CPINR=': counter('+CPINR', (tries) => `+CPINR: SIM PIN,${tries},3`),
  '+QPINC=': counter('+QPINC', (tries) => `+QPINC: "SC",${tries},10`),
  '+SPIC': counter('+SPIC', (tries) => `+SPIC: ${tries}`),
  '^CPIN?': counter('^CPIN', (tries) => `^CPIN: SIM PIN,${tries},10,3,10,3`),
}

const unlocked: Readonly<Record<string, Command>> = {
  '+CMGF=': number(1, (session, value) => (session.pduMode = value === 0)),
  '+CSMS=': (session, value) => {
    if (value === '1' && !session.quirks.phase2plus) return { error: 'CMS 303' }
    session.phase2plus = value === '1'
    return say('+CSMS: 1,1,1')
  },
  '+CPMS=?': ({ quirks }) => {
    const names = quirks.memories.map((name) => `"${name}"`).join(',')
    return say(`+CPMS: (${names}),(${names}),(${names})`)
  },
  '+CPMS?': (session) => say(`+CPMS: ${use(session)}`),
  '+CPMS=': memories,
  '+CNMI=': notices,
  '+CSCA?': ({ card }) => say(`+CSCA: "${card.centre}",145`),
  '+CSCA=': ({ card }, value) => ((card.centre = listOf(value)[0] ?? ''), ok),
  '+CMGL=': list,
  '+CMGR=': read,
  '+CMGD=': remove,
  '+CMMS=': ({ quirks }) => (quirks.linksMessages ? ok : failed),
  '+CNMA': (session) => (session.acknowledge() ? ok : { error: 'CMS 340' }),
  '+CMGS': ({ pduMode }) => (pduMode ? ok : { error: 'CMS 304' }),
}

/** A command without its AT. */
export function commands(session: Session, command: string): Answer {
  const match = /^([+^][A-Za-z]+(?:=\?|[=?])?|[A-Za-z]\d?|)(.*)$/.exec(command)
  const name = (match?.[1] ?? '').toUpperCase()
  const value = match?.[2] ?? ''
  const free = always[name]
  if (free !== undefined) return value === '' || name.endsWith('=') ? free(session, value) : failed
  const ofCard = withCard[name] ?? unlocked[name]
  if (ofCard === undefined) return failed
  if (!session.card.present) return { error: name.startsWith('+CM') || name.startsWith('+CN') ? 'CMS 310' : 'CME 10' }
  if (withCard[name] === undefined && !session.unlocked)
    return { error: name.startsWith('+CM') || name.startsWith('+CN') ? 'CMS 311' : 'CME 11' }
  return ofCard(session, value)
}
