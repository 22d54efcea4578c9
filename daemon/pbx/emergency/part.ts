/** Calls for help: taken before any rule; people are notified at once. */
import type { SipDriver } from '../../../drivers/sip/driver.ts'
import type { NoticeWays } from '../../base/notice-ways.ts'
import type { Calls } from '../../calls/calls.ts'
import type { Core, Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { ApplicationRunner } from '../../routing/application.ts'
import type { Talks } from '../../routing/connect.ts'
import type { Routing } from '../../routing/routing.ts'
import type { Voice } from '../../voice/voice.ts'
import { CallOut } from './call-out.ts'
import { Emergency } from './emergency.ts'
import { EmergencyNotices, type EmergencyCall } from './notices.ts'
import { emergencyRoutes } from './routes.ts'
import { EmergencyTest } from './test-call.ts'
import { helpWarnings } from './warnings.ts'

export interface EmergencyPart extends Part {
  readonly help: Emergency
}

export interface EmergencyPartOptions {
  readonly routing: Pick<Routing, 'desks' | 'originator' | 'trunks'>
  readonly calls: Calls
  readonly talks: Talks
  readonly voice: Pick<Voice, 'serve'>
  readonly applications: Pick<ApplicationRunner, 'answered'>
  readonly notices: Pick<NoticeWays, 'get'>
  /** Calls that the engine has placed by itself. */
  readonly helped: Pick<SipDriver['helped'], 'onHelped'>
  /** Where calls for help are kept until a person has looked after them. */
  readonly open: { began(call: EmergencyCall): void; lost(callId: string): void }
}

export function emergencyPart(
  { config, clock, log, trail }: Ground & Pick<Core, 'trail'>,
  { routing, calls, talks, voice, applications, notices, helped, open }: EmergencyPartOptions,
): EmergencyPart {
  const { desks, originator, trunks } = routing
  const callOut = new CallOut({ originator, clock, name: 'emergency-notice', ringSeconds: 60 })
  const test = new EmergencyTest({ config, calls, trunks, clock, applications })
  const people = new EmergencyNotices({ notices, config, callOut, log })
  const help = new Emergency({
    config,
    calls,
    trunks,
    clock,
    log,
    talks,
    tell: (call) => {
      trail.emergency(call.callId, call.extension)
      open.began(call)
      void people.tell(call)
    },
    lost: (callId) => open.lost(callId),
  })
  voice.serve(callOut)
  voice.serve(test)
  desks.add('help', help)
  helped.onHelped((call) => help.wasPlaced(call))
  return {
    name: 'emergency',
    help,
    routes: emergencyRoutes({ test: (trunkId) => test.place(trunkId ?? help.trunks()[0] ?? '') }),
    warnings: () => helpWarnings(config, help, (trunkId) => trunks.fault(trunkId)),
    stepped: (stepMs) => help.stepped(stepMs),
  }
}
