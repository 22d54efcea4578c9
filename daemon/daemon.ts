/** The composition of the daemon: which part gets which, and in what order they start and stop. */
import { assemble } from './assembly.ts'
import { withCore, type Core, type CoreOptions } from './core.ts'
import { controlConnections, guardedAgent } from './outbox/address.ts'
import type { Part } from './part.ts'
import { auditPart } from './parts/audit.ts'
import { boxPart } from './parts/box.ts'
import { callbacksPart } from './parts/callbacks.ts'
import { configurationPart } from './parts/configuration.ts'
import { crmPart } from './parts/crm.ts'
import { doorsPart } from './parts/doors.ts'
import { faxPart } from './parts/fax.ts'
import { inboxPart } from './parts/inbox.ts'
import { lampsPart } from './parts/lamps.ts'
import { mailPart } from './parts/mail.ts'
import { modemsPart } from './parts/modems.ts'
import { provisioningPart } from './parts/provisioning.ts'
import { remindersPart } from './parts/reminders.ts'
import { simulatePart } from './parts/simulate.ts'
import { sipPart } from './parts/sip.ts'
import { smsPart } from './parts/sms.ts'
import { speechPart } from './parts/speech.ts'
import { statusPart } from './parts/status.ts'
import { timePart } from './parts/time.ts'
import { voicemailPart } from './parts/voicemail.ts'
import { voiceParts } from './parts/voice.ts'
import { watchParts } from './parts/watch.ts'
import { tokensPart } from './parts/tokens.ts'
import type { FirstToken } from './tokens/tokens.ts'

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
  /** Ends calls in progress when they are over or `drainMs` is up, then everything else. `leave`: people who talk go on, for the next run. */
  stop(drainMs: number, leave?: boolean): Promise<void>
}

export const startDaemon = (options: DaemonOptions): Promise<Daemon> => withCore(options, (core) => startParts(core, options))
async function startParts(core: Core, options: DaemonOptions): Promise<Daemon> {
  const { config, health, policies } = core
  const tokens = tokensPart(core, options.terminal)
  const dispatcher = guardedAgent(policies.control, controlConnections)
  const callbacks = callbacksPart(core)
  const crm = crmPart(core, () => voiced)
  const sip = await sipPart(core, (call) => void inbound.take(call))
  const { driver } = sip
  const speech = await speechPart(core, { dispatcher })
  const later = { faxes: () => faxes.fax, mailboxes: () => messages, notices: () => ({ ...mail.notices, ...sms.notices }) }
  const received = inboxPart(core, { calls: () => voiced.calls, ways: later.notices })
  const modems = await modemsPart(core, options.modemSpeed === undefined ? {} : { speed: options.modemSpeed })
  const around = { driver, analog: modems.voiceLines, callers: crm.callers, watches: [...crm.watches, received.watch] }
  const voiced = voiceParts(core, { ...callbacks, ...around, dispatcher, ...later, ...speech })
  const { calls, voice, trunks, inbound } = voiced
  const messages = voicemailPart(core, { ...received, ...voiced, ...speech, ...later })
  const faxes = faxPart(core, { ...callbacks, ...received, ...voiced, modems, inbound: (call) => void inbound.take(call) })
  const mail = mailPart(core)
  const sms = await smsPart(core, { ...received, driver })
  const time = timePart(core, () => parts)
  const reminding = { texts: sms.messaging, eraseText: sms.erase, clockTrusted: () => time.trusted() }
  const reminders = remindersPart(core, { ...callbacks, calls, trunks, voice, ...reminding })
  const box = boxPart(core, () => voiced)
  const doors = doorsPart(core, { parts: () => parts, tokens: tokens.tokens })
  const look = { ...voiced, driver, modems, engines: speech.engines, assembly: () => assembly, httpAddress: () => doors.address() }
  // Each is there before what needs it and gone after it: calls on modems have ended before the faxes stop. None before sip waits for a disk.
  const parts: readonly Part[] = [
    box,
    auditPart(core),
    sip,
    tokens,
    { name: 'requests', stop: () => dispatcher.close() },
    doors,
    callbacks,
    voiced.callsPart,
    time,
    speech,
    voiced.house,
    faxes,
    modems,
    mail,
    sms,
    reminders,
    received,
    crm,
    messages,
    lampsPart(core, { sip, calls, boxes: messages.boxes, ...voiced.house }),
    statusPart(core, look),
    configurationPart(core, look),
    provisioningPart(core, look),
    simulatePart(config, { inbound, speaker: speech.speech.speaker }),
    voiced.applicationsPart,
    // After what takes up the work of the last run: whoever finds the box ready finds that done.
    ...watchParts(core, { ...callbacks, ...voiced, ...later, driver, modems }),
  ]
  const assembly = assemble({ ...core, parts })
  await assembly.start()
  const bound = driver.bound()
  return {
    httpAddress: doors.address() ?? '',
    sip: (['udp', 'tcp', 'tls'] as const).flatMap((kind) => (bound[kind] === null ? [] : [`${kind} ${bound[kind]}`])),
    firstToken: tokens.first(),
    missing: () => health.missing(),
    busy: () => calls.live().length > 0,
    alive: () => box.alive(),
    stop: (drainMs, leave = false) => (Object.assign(core, { stopping: true, leaving: leave }), assembly.stop(drainMs)),
  }
}
