/** The composition of the daemon: which part gets which, and in what order they start and stop. */
import type { LineStatus } from '../drivers/line.ts'
import type { SipDriver } from '../drivers/sip/driver.ts'
import { alarmsPart } from './alarms/part.ts'
import { createAssembly, type Assembly } from './assembly.ts'
import { auditPart } from './audit/part.ts'
import { backupPart } from './backup/part.ts'
import { createNoticeWays, type NoticeWays } from './base/notice-ways.ts'
import { standingDrainPart } from './drain/part.ts'
import { eventsPart } from './box-events/part.ts'
import { boxPart } from './box/part.ts'
import { timePart } from './box/time/part.ts'
import type { Calls } from './calls/calls.ts'
import { drainPart } from './calls/part.ts'
import { ceilingsPart } from './ceilings/part.ts'
import { certificatePart } from './certificate/part.ts'
import { configurationPart } from './config/part.ts'
import { consolePart } from './console/part.ts'
import { withCore, type Core, type CoreOptions } from './core.ts'
import { crmPart, type CrmPart } from './crm/part.ts'
import { deskPart, type DeskPartOptions } from './desk/part.ts'
import { statusPart, type StatusOptions } from './doctor/part.ts'
import { faxPart } from './fax/part.ts'
import { figuresPart, type FiguresPartOptions } from './figures/part.ts'
import { healthPart, type HealthPartOptions } from './health/part.ts'
import { historyPart, type HistoryPart } from './history/part.ts'
import { doorsPart } from './http/part.ts'
import { inboxPart } from './inbox/part.ts'
import { livePart, openLive, type LivePartOptions } from './live/part.ts'
import { mailPart } from './mail/part.ts'
import { smsPart } from './messaging/part.ts'
import { modemsPart } from './modems/part.ts'
import { noticesPart } from './notices/part.ts'
import { controlConnections, guardedAgent } from './outbox/address.ts'
import { callbacksPart } from './outbox/part.ts'
import { codesPart } from './pbx/codes/part.ts'
import { controlPart } from './pbx/control/part.ts'
import { emergencyPart } from './pbx/emergency/part.ts'
import { extensionsPart } from './pbx/extensions/part.ts'
import { groupsPart } from './pbx/groups/part.ts'
import { helpCallsPart } from './pbx/help-calls/part.ts'
import { hoursPart } from './pbx/hours/part.ts'
import { lampsPart } from './pbx/lamps/part.ts'
import { menusPart } from './pbx/menus/part.ts'
import { outsidePart } from './pbx/outside/part.ts'
import { parkingPart } from './pbx/parking/part.ts'
import { queuesPart } from './pbx/queues/part.ts'
import { recordingPart } from './pbx/recording/part.ts'
import { returnedPart } from './pbx/returned/part.ts'
import { sitesPart } from './pbx/sites/part.ts'
import { spokenAheadPart } from './pbx/spoken-ahead/part.ts'
import { talkPart } from './pbx/talk/part.ts'
import { wherePart } from './pbx/where/part.ts'
import { pairPart, pairView } from './pair/part.ts'
import type { Part } from './part.ts'
import { peoplePart, type PeoplePart } from './people/part.ts'
import { provisioningPart } from './provisioning/part.ts'
import { remindersPart } from './reminders/part.ts'
import { routingPart } from './routing/part.ts'
import type { Routing } from './routing/routing.ts'
import { notifyWays } from './schema/config/notify.ts'
import { setupPart } from './setup/part.ts'
import { simulatePart } from './simulate/part.ts'
import { sipLines, sipPart } from './sip/part.ts'
import { speechPart, type SpeechPart } from './speech/part.ts'
import { tokensPart } from './tokens/part.ts'
import type { FirstToken } from './tokens/tokens.ts'
import { voicePart, type VoicePart } from './voice/part.ts'
import { voicemailPart } from './voicemail/part.ts'
import { wallPart } from './wall/part.ts'
import { workPart } from './work/part.ts'

export interface DaemonOptions extends CoreOptions {
  /** Whether somebody at a terminal sees the first token; otherwise it is written to a file. */
  readonly terminal: boolean
  /** Of modem lines that run faster than time. */
  readonly modemSpeed?: number
}

export interface Daemon {
  readonly httpAddress: string
  readonly sip: readonly string[]
  readonly firstToken: FirstToken | null
  missing(): readonly string[]
  /** Whether there are calls. */
  busy(): boolean
  /** Whether the event loop, the store and the engine are alive: the watchdog's question. */
  alive(): boolean
  /**
   * Ends calls in progress when they have ended or `drainMs` is up, then everything else. `leave`: current conversations go on, for the
   * next run.
   */
  stop(drainMs: number, leave?: boolean): Promise<void>
}

export const startDaemon = (options: DaemonOptions): Promise<Daemon> => withCore(options, (core) => startParts(core, options))

/**
 * In the list each part is there before what needs it and gone after it: calls on modems have ended before the faxes stop. None before sip
 * waits for a disk. Backups come after what takes up the work of the last run: a client that finds the box ready finds that done.
 */
async function startParts(core: Core, options: DaemonOptions): Promise<Daemon> {
  const live = openLive(core)
  const notices = createNoticeWays(notifyWays)
  const tokens = tokensPart(core, options.terminal)
  const dispatcher = guardedAgent(core.policies.control, controlConnections)
  const callbacks = callbacksPart(core)
  const { outbox } = callbacks
  const sip = await sipLines(core)
  const { driver } = sip
  const spoken = await speechPart(core, { dispatcher })
  const { speech, engines } = spoken
  const modems = await modemsPart(core, options.modemSpeed === undefined ? {} : { speed: options.modemSpeed })
  const routed = routingPart(core, { outbox, lines: [modems.voiceLines, { driver, serves: () => true }] })
  const { calls, routing } = routed
  const assembly = createAssembly({ ...core, registries: [notices, ...routing.registries] })
  const kept = historyPart(core, { calls })
  const { history, records } = kept
  const received = inboxPart(core, { calls })
  const { inbox, eraseVoicemail } = received
  const faxes = faxPart(core, { modems, outbox, calls, routing, inbox })
  const settled = (callId: string): void => records.touched(callId)
  const applied = voicePart(core, { outbox, calls, routing, speech, engines, dispatcher, settled, shares: faxes.fax.shares })
  const { voice, recordings, applications } = applied
  const pbx = pbxParts(core, { calls, routing, driver, notices, speech, voice: applied, records })
  const { outlives, recorder } = pbx
  const crm = crmPart(core, { routing, history, records, siteWeb: pbx.siteWeb, ...pbx.clickToDial })
  const mailboxes = { calls, routing, inbox, eraseVoicemail, speech, voice, recordings, applications }
  const messages = voicemailPart(core, { ...mailboxes, talkOver: (call) => recorder.stop(call), canCallBack: pbx.canCallBack })
  const sms = await smsPart(core, { inbox, driver, notices })
  const time = timePart(core, { assembly })
  const people = peoplePart(core, { waiting: pbx.waiting, looked: () => assembly.refresh() })
  const certificate = certificatePart(core)
  const doors = doorsPart(core, { assembly, tokens: tokens.tokens, people: people.door, live, certificate })
  const box = boxPart(core, { calls, outlives })
  const lines = (): LineStatus[] => [...driver.lines(), ...modems.lines()]
  const events = eventsPart(core, { lines })
  const seen = { pbx, live, tokens: tokens.tokens.all, calls, routing, crm, lines, glass: people.glass }
  const writes = { faxes: () => faxes.fax.hasLine(), texts: () => sms.messaging.hasTrunk() }
  const house = { ...seen, ...kept, inbox, writes, faxes: faxes.fax.queue, events: events.events }
  const reminders = remindersPart(core, { calls, routing, voice, outbox, sms, time })
  await assembly.start([
    box,
    ...firstParts(core, { calls, routing, assembly }),
    sipPart(core, { driver, routing, certificate, looked: () => assembly.refresh() }),
    tokens,
    people,
    consolePart(core, { anybody: people.anybody }),
    { name: 'requests', stop: () => dispatcher.close() },
    doors,
    certificate,
    callbacks,
    routed,
    returnedPart(core, { driver, calls, routing, talks: pbx.talks, recorder, tellInputs: applied.tellInputs }),
    kept,
    time,
    spoken,
    ...pbx.parts,
    faxes,
    modems,
    mailPart(core, { notices }),
    sms,
    reminders,
    received,
    noticesPart(core, { inbox, records, notices }),
    ...houseParts(core, house),
    crm,
    messages,
    lampsPart(core, { sip, boxes: messages.boxes, calls, live, ...pbx.watched }),
    configurationPart(core, { calls, driver, outlives, assembly }),
    provisioningPart(core, { driver, httpAddress: doors.address }),
    simulatePart(core, { routing, speaker: speech.speaker }),
    drainPart(core, { calls, outlives }),
    applied,
    ...overviewParts(core, { ...house, sms, reminders, driver, modems, time, engines, assembly, doors }),
    events,
    alarmsPart(core, { events: events.events, outbox, notices, routing, voice }),
  ])
  const started = { httpAddress: doors.address() ?? '', sip: boundTo(driver.bound()), firstToken: tokens.first() }
  return { ...started, ...running(core, { calls, assembly, alive: () => box.alive() }) }
}

/** What stands before all that dials. */
function firstParts(core: Core, house: Parameters<typeof standingDrainPart>[1]): readonly Part[] {
  return [standingDrainPart(core, house), ceilingsPart(core), auditPart(core)]
}

interface Running extends Pick<Daemon, 'alive'> {
  readonly calls: Calls
  readonly assembly: Assembly
}

function running(core: Core, { calls, assembly, alive }: Running): Pick<Daemon, 'missing' | 'busy' | 'alive' | 'stop'> {
  return {
    missing: () => core.health.missing(),
    busy: () => calls.live().length > 0,
    alive,
    stop: (drainMs, leave = false) => (Object.assign(core, { stopping: true, leaving: leave }), assembly.stop(drainMs)),
  }
}

function boundTo(bound: ReturnType<SipDriver['bound']>): string[] {
  return (['udp', 'tcp', 'tls'] as const).flatMap((kind) => (bound[kind] === null ? [] : [`${kind} ${bound[kind]}`]))
}

interface HouseGround extends Pick<DeskPartOptions, 'records' | 'history' | 'inbox' | 'faxes' | 'events' | 'lines' | 'writes'> {
  readonly pbx: ReturnType<typeof pbxParts>
  readonly live: LivePartOptions['live']
  readonly tokens: LivePartOptions['tokens']
  readonly calls: Calls
  readonly routing: Routing
  readonly records: HistoryPart['records']
  readonly crm: CrmPart
  readonly glass: PeoplePart['glass']
}

/** What people of the house see on their pages, and do there. */
function houseParts(core: Core, { pbx, live, tokens, calls, routing, crm, glass, ...known }: HouseGround): readonly Part[] {
  const { records, inbox } = known
  const work = workPart(core, { records, inbox, callbacks: pbx.watched.callQueues.callbacks, nameOf: crm.nameOf })
  const lists = { ...pbx.shown.lists, glass }
  const desk = deskPart(core, { ...pbx.shown, ...known, lists, work, directory: crm.directory, crm: crm.state })
  return [work, desk, wallPart(core, pbx.shown.queues), livePart(core, { live, tokens, things: desk.things })]
}

interface OverviewGround extends Pick<HealthPartOptions, 'modems' | 'time' | 'events'>, Omit<FiguresPartOptions, 'texts' | 'reminders'> {
  readonly calls: Calls
  readonly routing: Routing
  readonly driver: SipDriver
  readonly sms: { readonly messaging: { readonly queue: FiguresPartOptions['texts'] } }
  readonly reminders: { readonly reminders: FiguresPartOptions['reminders'] }
  readonly modems: StatusOptions['modems'] & HealthPartOptions['modems']
  readonly engines: StatusOptions['engines']
  readonly assembly: StatusOptions['assembly']
  readonly doors: { readonly address: StatusOptions['httpAddress'] }
}

/** How the house and the box did, and how the box is. */
function overviewParts(core: Core, { sms, reminders, doors, ...known }: OverviewGround): readonly Part[] {
  const figures = figuresPart(core, { ...known, ...reminders, texts: sms.messaging.queue })
  const status = statusPart(core, { ...known, originator: known.routing.originator, httpAddress: doors.address, pair: pairView(core) })
  const backup = backupPart(core, { ...known, status })
  return [pairPart(core), figures, status, backup, healthPart(core, { ...known, status, backup, figures }), setupPart(core)]
}

interface PbxGround {
  readonly calls: Calls
  readonly routing: Routing
  readonly driver: SipDriver
  readonly notices: NoticeWays
  readonly speech: SpeechPart['speech']
  readonly records: HistoryPart['records']
  readonly voice: Pick<VoicePart, 'voice' | 'recordings' | 'applications'>
}

/** The telephone system of the house. */
function pbxParts(
  core: Core,
  { calls, routing, driver, notices, records, speech: { speaker }, voice: { voice, recordings, applications } }: PbxGround,
) {
  const { trunks } = routing
  const codes = codesPart(core, { routing, voice, applications })
  const { attendant } = codes
  const recording = recordingPart(core, { recordings, speaker })
  const talk = talkPart(core, { routing, calls, driver, recorder: recording.recorder, attendant })
  const { talks, music } = talk
  const extensions = extensionsPart(core, { routing, calls, talks, attendant, driver })
  const { settings } = extensions
  const outside = outsidePart(core, { routing, calls, talks })
  const helpCalls = helpCallsPart(core)
  const emergency = emergencyPart(core, {
    routing,
    calls,
    talks,
    voice,
    applications,
    notices,
    helped: driver.helped,
    open: helpCalls.open,
  })
  const hours = hoursPart(core, { routing, attendant })
  const queues = queuesPart(core, { routing, calls, talks, music, attendant, settings, speaker })
  const menus = menusPart(core, { routing, voice, applications })
  const control = controlPart(core, { calls, routing, records, talks, settings })
  const parking = parkingPart(core, { routing, talks, music, voice, attendant, records, control: control.control })
  const sites = sitesPart(core, { routing, calls, talks, attendant })
  const asked = { help: emergency.help, codes: codes.codes, settings, hours: hours.hours, trunks, calls, lines: () => driver.lines() }
  return {
    parts: [
      codes,
      recording,
      talk,
      extensions,
      outside,
      sites,
      groupsPart(core, { routing, calls, talks, settings, outside: outside.outside, speaker }),
      emergency,
      helpCalls,
      hours,
      queues,
      menus,
      control,
      parking,
      wherePart(core, asked),
      spokenAheadPart([() => menus.menus.warm(speaker), () => attendant.warm(speaker), () => recording.recorder.warm()]),
    ],
    talks,
    recorder: recording.recorder,
    outlives: talk.outlives,
    ...{ canCallBack: outside.canCallBack, siteWeb: sites.web },
    waiting: () => queues.callQueues.all().flatMap(({ machine }) => machine.callers().filter(({ state }) => state === 'here')).length,
    clickToDial: { place: extensions.place, presence: extensions.presence },
    shown: {
      ...{ queues: queues.list, emergency: helpCalls.open, lists: { extensions, hours, parking: parking.slots } },
      deedsOf: (callId: string) => control.control.deedsOf(callId),
    },
    watched: { overrides: hours.overrides, others: [parking.slots], callQueues: queues.callQueues, remote: sites.lamps },
  }
}
