/** pbxd's text trunk over the real pbx-engine, and what the trunk's far end may be. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createSipDriver, type SipDriver } from '../../drivers/sip/driver.ts'
import { createSipMessageTrunk } from '../../drivers/sip/messages.ts'
import type { SipConfiguration, SipTrunk } from '../../drivers/sip/configuration.ts'
import type { InboundText, OutboundText, SmsOutcome, SmsTrunk } from '../../drivers/sms.ts'
import { Waiting } from '../harness/waiting.ts'

export const enginePath = process.env['PBX_ENGINE'] ?? join(import.meta.dirname, '../../.cache/engine/pbx-engine')
export const skip = existsSync(enginePath) ? false : 'pbx-engine is not built'

export const own = '+15550001000'
export const other = '+15550002000'

export function sipTrunk(server: string, more: Partial<SipTrunk> = {}): SipTrunk {
  const account = { username: 'clinic', password: 'secret', register: false, numbers: [own], channels: 30, srtp: 'off' as const }
  return { id: 'main', server, transport: 'udp', ...account, keepAliveSeconds: 0, codecs: [], allow: [], ...more }
}

export function outbound(body: string, more: Partial<OutboundText> = {}): OutboundText {
  const usual = { messageId: 'm1', to: other, from: own, encoding: 'GSM-7', segments: [body], reference: 1 } as const
  return { ...usual, body, validitySeconds: 3600, accepted: [null], ...more }
}

let nextPorts = 34_000 + (process.pid % 20) * 400

export class Rig {
  readonly driver: SipDriver
  readonly configuration: SipConfiguration
  readonly trunk: SmsTrunk
  readonly texts: InboundText[] = []
  readonly logged: string[] = []
  statusChanges = 0
  /** How a text that comes in is kept. */
  keep: (text: InboundText) => Promise<void> = () => Promise.resolve()
  readonly #waiting = new Waiting()

  private constructor(trunks: readonly SipTrunk[], more: Partial<SipConfiguration>) {
    const first = nextPorts
    nextPorts += 20
    const log = (_: object, text: string): void => void this.logged.push(text)
    const configure: SipConfiguration = {
      udp: '127.0.0.1:0',
      tcp: '127.0.0.1:0',
      tls: null,
      rtpPorts: [first, first + 18],
      realm: 'pbx',
      nameservers: [],
      inbandDigits: true,
      mediaTimeoutSeconds: 60,
      phoneNetworks: ['127.0.0.3/32'],
      ban: { failures: 5, windowSeconds: 30, seconds: 3600 },
      trunks,
      extensions: [{ number: '101', password: 'right', name: 'Desk', srtp: 'auto', contacts: [] }],
      ...more,
    }
    this.configuration = configure
    const logger = { debug: log, info: log, warn: log, error: log }
    this.driver = createSipDriver({ enginePath, configure, log: logger })
    this.trunk = createSipMessageTrunk({ id: 'text', number: own, log: logger, trunk: 'main', driver: this.driver })
  }

  static async start(trunks: readonly SipTrunk[], more: Partial<SipConfiguration> = {}): Promise<Rig> {
    const rig = new Rig(trunks, more)
    await rig.driver.start({ inbound: ({ leg }) => leg.reject(603), statusChanged: () => undefined })
    rig.trunk.start({
      received: async (text) => {
        rig.texts.push(text)
        rig.#waiting.wake()
        await rig.keep(text)
      },
      report: () => Promise.reject(new Error('SIP has no reports')),
      statusChanged: () => void (rig.statusChanges += 1),
    })
    return rig
  }

  port(transport: 'udp' | 'tcp' = 'udp'): number {
    return Number(this.driver.bound()[transport]?.split(':').at(-1))
  }

  send(body: string, more: Partial<OutboundText> = {}): Promise<SmsOutcome> {
    return this.trunk.send(outbound(body, more), new AbortController().signal)
  }

  /** Waits for the nth text that came in. */
  async received(nth = 1, ms = 8000): Promise<InboundText> {
    return this.#waiting.until(
      () => this.texts[nth - 1],
      ms,
      (within) => `text ${nth}: ${within}`,
    )
  }

  async stop(): Promise<void> {
    await this.trunk.stop()
    await this.driver.stop()
  }
}
