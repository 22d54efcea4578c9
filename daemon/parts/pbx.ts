/** The telephone system of the house: its phones, calls to the outside and for help, and where it sends calls on by itself. */
import type { Call } from '../calls/call.ts'
import type { Calls, Outlives } from '../calls/calls.ts'
import type { Core } from '../core.ts'
import type { CodedWarning, Part } from '../part.ts'
import type { Leg } from '../../drivers/line.ts'
import type { StandingLeg } from '../../drivers/pbx.ts'
import type { SipDriver } from '../../drivers/sip/driver.ts'
import { emergencyRoutes } from '../pbx/emergency/routes.ts'
import { extensionRoutes } from '../pbx/extension-routes.ts'
import { hoursRoutes } from '../pbx/hours/routes.ts'
import { queueRoutes } from '../pbx/queues/routes.ts'
import { whereRoutes } from '../pbx/where-routes.ts'
import type { NoticeWays } from '../base/notice-ways.ts'
import { CallOut } from '../pbx/emergency/call-out.ts'
import { EmergencyNotices, type EmergencyCall } from '../pbx/emergency/notices.ts'
import { EmergencyTest } from '../pbx/emergency/test-call.ts'
import { ClickToDial } from '../pbx/click-to-dial.ts'
import type { MailboxCodesOptions } from '../pbx/codes/mailbox-codes.ts'
import { createCodes, type HouseCodes } from '../pbx/codes/codes.ts'
import { ExtensionDesk } from '../pbx/extension-desk.ts'
import { isEngaged } from '../pbx/presence.ts'
import { SettingsOfExtensions } from '../pbx/extension-settings.ts'
import { Hours } from '../pbx/hours/hours.ts'
import { HoursDesk } from '../pbx/hours/desk.ts'
import { Overrides } from '../pbx/hours/overrides.ts'
import { Menus } from '../pbx/menus/menus.ts'
import type { Parking } from '../pbx/parking/parking.ts'
import { createPhones } from '../pbx/phones.ts'
import { TalkRecorder, type TalkRecorderOptions, type TalkWatch } from '../pbx/recording/talk-recorder.ts'
import { keepAlone } from '../pbx/talk/tag.ts'
import { resumeTalks, type ReturnedOptions } from '../pbx/talk/returned.ts'
import { Queues } from '../pbx/queues/queues.ts'
import { sweepQueueDays } from '../pbx/queues/sweep.ts'
import { Where } from '../pbx/where.ts'
import type { HouseTakers, Routing, RoutingOptions } from '../routing/routing.ts'
import type { Speech } from '../speech/speech.ts'
import type { InternalApplication } from '../voice/internal.ts'
import { queueFigures, queueServices } from './queues.ts'
import { helpWarnings } from './help-warnings.ts'

export interface PbxPartOptions
  extends Pick<RoutingOptions, 'applications'>, MailboxCodesOptions, Pick<Routing, 'destinations' | 'originator' | 'trunks'> {
  readonly calls: Calls
  readonly speech: Pick<Speech, 'speaker'>
  readonly driver: Pick<SipDriver, 'lines' | 'helped'>
  readonly recordings: TalkRecorderOptions['recordings']
  /** By which people are told of a call for help. Not before the first call. */
  readonly notices: () => NoticeWays
}

export interface PbxPart extends Part, HouseTakers {
  /** Applications of its own, which somebody must serve. */
  readonly applications: readonly InternalApplication[]
  /** Hours that are set by hand. */
  readonly overrides: Overrides
  readonly parking: Parking
  readonly callQueues: Queues
  readonly recorder: TalkWatch
  /** Whether it would go on without this program: `now` where two talk. */
  outlives(call: Call): Outlives
  /** As `resumeTalks`. */
  resume(late: Pick<ReturnedOptions, 'inbound' | 'tellInputs'>, legs: readonly StandingLeg[]): readonly Leg[]
  readonly clickToDial: ClickToDial
  /** Whether a phone of the extension can be rung, and whether one is in use. */
  presence(extension: string): { readonly registered: boolean; readonly onCall: boolean }
}

const rememberMs = 86_400_000

export function pbxPart(core: Core, options: PbxPartOptions): PbxPart {
  const { trail } = core
  const { site, voice } = core.config
  const { destinations, trunks } = options
  const overrides = new Overrides(core)
  const hours = new Hours({ ...core, ...options, overrides })
  const menus = new Menus({ ...core, ...options })
  const callOut = new CallOut({ ...core, ...options, name: 'emergency-notice', ringSeconds: 60 })
  const parkingNotice = new CallOut({ ...core, ...options, name: 'parking-notice', ringSeconds: 15 })
  const test = new EmergencyTest({ ...core, ...options })
  const tell = (call: EmergencyCall): void => {
    trail.emergency(call.callId, call.extension)
    void new EmergencyNotices({ ...core, notices: options.notices(), callOut }).tell(call)
  }
  const settings = new SettingsOfExtensions(core)
  const takers = { send: destinations.send.bind(destinations), take: destinations.take.bind(destinations) }
  const parking = {
    tell: (extension: string, slot: string) => parkingNotice.ring(extension, { from: slot, ...attendant.parked(slot, extension) }),
    say: (call: Call, slot: string) => attendant.say(call, 'parkedAt', slot),
  }
  const recorder = new TalkRecorder({
    ...core,
    ...options,
    ...options.speech,
    isHelp: (number) => phones.help.numberIn(number) !== null,
    noted: (deed, recordingId, extension) =>
      trail.happened({ actor: extension === '' ? 'system' : `phone:${extension}`, address: '', deed, object: recordingId }),
  })
  const phones = createPhones({ ...core, ...options, ...options.speech, ...takers, settings, parking, recorder, tell })
  const { talks, music } = phones
  const callQueues = new Queues({ ...core, ...options, ...options.speech, ...takers, settings, talks, music: () => music.now() })
  const { codes, attendant } = createCodes({ ...core, ...options, settings, hours, overrides, queues: callQueues, pickUp: phones.pickUp })
  const speakAhead = (): void => void spokenAhead({ menus, attendant, recorder }, options.speech)
  const lines = () => options.driver.lines()
  options.driver.helped.onHelped = (call) => phones.help.wasPlaced(call)
  const where = new Where({ ...core, ...options, help: phones.help, codes, settings, hours, lines })
  return {
    name: 'pbx',
    routes: [
      ...emergencyRoutes({ test: (trunkId) => test.place(trunkId ?? phones.help.trunks()[0] ?? '') }),
      ...whereRoutes(where),
      ...hoursRoutes(new HoursDesk({ ...core, hours, overrides })),
      ...extensionRoutes(new ExtensionDesk({ ...core, ...options, settings, lines })),
      ...queueRoutes(queueServices(core, callQueues)),
    ],
    figures: queueFigures(core, callQueues),
    sweeps: [{ what: 'figures of queues', sweep: () => sweepQueueDays({ ...core, timeZone: site.timeZone, keepDays: voice.historyDays }) }],
    applications: [menus.application, attendant, callOut, parkingNotice, test],
    codes,
    hours,
    overrides,
    parking: phones.parking,
    recorder,
    clickToDial: new ClickToDial({ ...core, ...options, isHelp: (number) => phones.help.numberIn(number) !== null }),
    presence: (extension) => ({ registered: trunks.hasPhone(extension), onCall: isEngaged(options.calls.live(), extension) }),
    menus,
    outlives: (call) => talks.outlives(call),
    keep: keepAlone,
    resume: (late, legs) => resumeTalks({ ...core, ...options, ...late, talks, recorder }, legs),
    phones,
    callQueues,
    *warnings() {
      yield* helpWarnings(core, phones, (trunkId) => trunks.fault(trunkId))
      yield* abroadWarnings(core, phones.outside.tooManyAbroadAt)
    },
    stepped: (stepMs) => stepped(core, phones, callQueues, stepMs),
    reconfigured: () => reconfigured(callQueues, speakAhead),
    start() {
      overrides.start()
      callQueues.start()
      speakAhead()
    },
    async stop() {
      overrides.stop()
      await callQueues.stop()
    },
  }
}

interface Spoken {
  readonly menus: Menus
  readonly attendant: HouseCodes['attendant']
  readonly recorder: TalkRecorder
}

/** What the house says is spoken ahead, so that nobody waits for a voice. */
async function spokenAhead({ menus, attendant, recorder }: Spoken, { speaker }: PbxPartOptions['speech']): Promise<void> {
  await menus.warm(speaker)
  await attendant.warm(speaker)
  await recorder.warm()
}

function stepped({ log }: Core, { help, outside }: ReturnType<typeof createPhones>, { callbacks }: Queues, stepMs: number): void {
  help.stepped(stepMs)
  if (outside.tooManyAbroadAt !== null) outside.tooManyAbroadAt += stepMs
  callbacks.stepped(stepMs).catch((error: unknown) => log.error({ err: error }, 'the places of call-backs could not be moved'))
}

function reconfigured(queues: Queues, speakAhead: () => void): void {
  queues.reconfigure()
  speakAhead()
}

/** `at`: when a call abroad was last refused for there were so many; null for never. */
function* abroadWarnings({ clock }: Core, at: number | null): Iterable<CodedWarning> {
  if (at === null || clock.now() - at > rememberMs) return
  yield {
    code: 'too-many-abroad',
    severity: 'warning',
    text: 'A call to another country was refused in the last day because limits.internationalCalls was reached',
    fix: 'pbx calls --all: are these calls yours?',
  }
}
