/** Routing over one driver that serves every line, of a box that receives no faxes. */
import type { ApplicationRunner } from '../../daemon/routing/application.ts'
import { createCodes } from '../../daemon/pbx/codes/codes.ts'
import { SettingsOfExtensions } from '../../daemon/pbx/extension-settings.ts'
import { Hours } from '../../daemon/pbx/hours/hours.ts'
import { Overrides } from '../../daemon/pbx/hours/overrides.ts'
import { Menus } from '../../daemon/pbx/menus/menus.ts'
import { createPhones } from '../../daemon/pbx/phones.ts'
import { Queues, type QueuesOptions } from '../../daemon/pbx/queues/queues.ts'
import { createRouting, type HouseTakers, type Routing, type RoutingOptions } from '../../daemon/routing/routing.ts'
import type { ServedLines } from '../../daemon/routing/lines.ts'

type Box = Pick<RoutingOptions, 'config' | 'calls' | 'store' | 'clock' | 'log'>

/** No call is for a mailbox. */
export const noMailbox = (): never => {
  throw new Error('nobody records messages here')
}

export function routingOver(box: Box, driver: ServedLines['driver'], applications: () => ApplicationRunner): Routing {
  const house = (): HouseTakers => taken
  const routing = createRouting({
    callers: { known: () => null, introduce: () => Promise.resolve(null) },
    ...box,
    lines: [{ driver, serves: () => true }],
    applications,
    house,
    voicemail: noMailbox,
    receiveFax: async () => undefined,
  })
  const taken = houseOver(box, routing, applications)
  return routing
}

/** Says every text at once, in silence. */
const silent: QueuesOptions['speaker'] = {
  prepare: ({ text }) => ({
    parts: [Promise.resolve({ key: text, samples: new Int16Array(8), text })],
    warnings: [],
    late: Promise.resolve([]),
  }),
}

/** Where the house takes calls, and sends them on by itself. */
export function houseOver(
  box: Box,
  { destinations, trunks }: Routing,
  applications: () => Pick<ApplicationRunner, 'takeOver'>,
): HouseTakers & { readonly hours: Hours; readonly menus: Menus; readonly callQueues: Queues } {
  const shared = { ...box, destinations }
  const takers = { send: destinations.send.bind(destinations), take: destinations.take.bind(destinations) }
  const settings = new SettingsOfExtensions(box)
  const phones = createPhones({
    ...box,
    trunks,
    ...takers,
    settings,
    speaker: silent,
    recorder: { talk: () => () => undefined, resume: () => undefined, stop: () => undefined },
    parking: { tell: async () => undefined, say: async () => undefined },
    tell: () => undefined,
  })
  const { talks, music } = phones
  const callQueues = new Queues({ ...box, ...takers, trunks, settings, talks, speaker: silent, music: () => music.now() })
  const overrides = new Overrides(box)
  const hours = new Hours({ ...shared, overrides })
  return {
    hours,
    menus: new Menus({ ...shared, applications }),
    codes: createCodes({ ...box, applications, settings, hours, overrides, queues: callQueues, mailbox: noMailbox, pickUp: phones.pickUp })
      .codes,
    phones,
    callQueues,
    keep: () => undefined,
  }
}
