/** Routing and the house over one driver that serves every line, of a box without mailboxes: the parts of the daemon itself. */
import type { Call } from '../../daemon/calls/call.ts'
import { codesPart } from '../../daemon/pbx/codes/part.ts'
import { emergencyPart } from '../../daemon/pbx/emergency/part.ts'
import { extensionsPart } from '../../daemon/pbx/extensions/part.ts'
import { groupsPart } from '../../daemon/pbx/groups/part.ts'
import { helpCallsPart } from '../../daemon/pbx/help-calls/part.ts'
import { hoursPart } from '../../daemon/pbx/hours/part.ts'
import { menusPart } from '../../daemon/pbx/menus/part.ts'
import { outsidePart } from '../../daemon/pbx/outside/part.ts'
import { sitesPart } from '../../daemon/pbx/sites/part.ts'
import { parkingPart } from '../../daemon/pbx/parking/part.ts'
import { queuesPart } from '../../daemon/pbx/queues/part.ts'
import { talkPart } from '../../daemon/pbx/talk/part.ts'
import { takeToApplication, type ApplicationRunner } from '../../daemon/routing/application.ts'
import { createDesks } from '../../daemon/routing/desks.ts'
import type { ServedLines } from '../../daemon/routing/lines.ts'
import { createRouting, type Routing, type RoutingOptions } from '../../daemon/routing/routing.ts'
import { answered } from '../../daemon/routing/taken.ts'
import type { Speaker } from '../../daemon/speech/speaker.ts'

type Box = Pick<RoutingOptions, 'config' | 'calls' | 'store' | 'clock' | 'log'>

/** Who is beyond the house. */
export interface Around {
  readonly applications: ApplicationRunner
  readonly receiveFax?: (call: Call) => Promise<void>
}

export type House = ReturnType<typeof enterHouse>

/** `applications`: asked once calls come. */
export function routingOver(box: Box, driver: ServedLines['driver'], applications: () => ApplicationRunner): Routing {
  return houseOver(box, [{ driver, serves: () => true }], {
    applications: {
      inbound: (...words) => applications().inbound(...words),
      answered: (...words) => applications().answered(...words),
      takeOver: (...words) => applications().takeOver(...words),
    },
  }).routing
}

/** Everybody has entered, as at the start of the daemon. */
export function houseOver(box: Box, lines: readonly ServedLines[], around: Around): { readonly routing: Routing; readonly house: House } {
  const { config, calls, store, clock, log } = box
  const routing = createRouting({ config, calls, store, clock, log, lines, desks: createDesks() })
  const house = enterHouse(box, routing, around.applications)
  enterOthers(box, routing, around)
  for (const registry of routing.registries) registry.seal()
  return { routing, house }
}

/** Says every text at once, in silence. */
const silent: Pick<Speaker, 'prepare'> = {
  prepare: ({ text }) => ({
    parts: [Promise.resolve({ key: text, samples: new Int16Array(8), text })],
    warnings: [],
    late: Promise.resolve([]),
  }),
}

const deaf = { serve: () => undefined }
/** What pages ask for. */
const pages = { control: { sendTo: () => undefined }, records: { get: () => undefined as never } }

function enterHouse(box: Box, routing: Routing, applications: ApplicationRunner) {
  const { config, calls, store, clock, log } = box
  const core = { config, store, clock, log, trail: { emergency: () => undefined } as never }
  const recorder = { talk: () => () => undefined, resume: () => undefined, stop: () => undefined }
  const notices = { get: () => ({ mostAttachmentBytes: 0, tell: async () => undefined }) }
  const { attendant, codes } = codesPart(core, { routing, voice: deaf, applications })
  const { talks, music } = talkPart(core, { routing, calls, driver: { onReplacing: () => undefined }, recorder, attendant })
  const talking = { routing, calls, talks }
  const { settings } = extensionsPart(core, { ...talking, attendant, driver: { lines: () => [] } })
  const { outside } = outsidePart(core, talking)
  sitesPart(core, { ...talking, attendant })
  groupsPart(core, { ...talking, settings, outside, speaker: silent })
  const { open } = helpCallsPart(core)
  const helping = { voice: deaf, applications, notices, helped: { onHelped: () => undefined }, open }
  const { help } = emergencyPart(core, { ...talking, ...helping })
  const { hours, overrides } = hoursPart(core, { routing, attendant })
  const { callQueues } = queuesPart(core, { ...talking, music, attendant, settings, speaker: silent })
  menusPart(core, { routing, voice: deaf, applications })
  const { slots } = parkingPart(core, { ...pages, routing, talks, music, voice: deaf, attendant })
  return { codes, talks, help, open, hours, overrides, settings, callQueues, slots }
}

function noMailbox(): never {
  throw new Error('nobody records messages here')
}

function enterOthers({ config }: Box, { desks, features, takers }: Routing, { applications, receiveFax }: Around): void {
  features.addAll({ ownMailbox: noMailbox, anyMailbox: noMailbox })
  takers.addAll({
    voicemail: noMailbox,
    endpoint: (call, { id }, request) => takeToApplication(config, applications, call, id, request),
    fax: async (call) => {
      await receiveFax?.(call)
      return answered
    },
  })
  desks.addAll({
    applications,
    apologise: async () => undefined,
    callers: { known: () => null, introduce: () => Promise.resolve(null) },
  })
}
