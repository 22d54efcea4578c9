/** A GSM trunk on a simulated modem over a real pseudo terminal; what it says can be awaited. The terminal's program is built when it is first needed. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createGsmTrunk, type GsmTrunkOptions } from '../../drivers/gsm/modem.ts'
import { SimModemHost, type SimModemHostOptions } from '../../drivers/sim/gsm/host.ts'
import type { InboundText, OutboundText, SmsOutcome, SmsReport, SmsTrunk } from '../../drivers/sms.ts'

const root = join(import.meta.dirname, '../..')
export const ptyProgram = process.env['PBX_PTY'] ?? join(root, '.cache/sim/pbx-pty')

export async function build(): Promise<void> {
  if (process.env['PBX_PTY'] === undefined)
    await promisify(execFile)('make', ['-C', join(root, 'drivers/sim/gsm/pty'), `CACHE=${join(root, '.cache')}`])
}

export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

export const quick = {
  answerMs: 400,
  promptMs: 300,
  sendMs: 10_000,
  settleMs: 15,
  busyMs: 10,
  healthMs: 120,
  sweepMs: 150,
  stopMs: 300,
  reopenMs: [15, 60],
} as const

export class GsmRig {
  readonly host: SimModemHost
  readonly received: InboundText[] = []
  readonly reports: SmsReport[] = []
  readonly states: string[] = []
  readonly trace: string[] = []
  /** Throws where the daemon is to be unable to store. */
  refuse: ((text: InboundText | SmsReport) => void) | null = null
  trunk!: SmsTrunk
  #waiting: { readonly check: () => boolean; readonly resolve: () => void }[] = []

  constructor(options: Partial<SimModemHostOptions> = {}) {
    this.host = new SimModemHost({ ptyProgram, reportMs: 5, onSent: () => this.look(), ...options })
  }

  async open(options: Partial<GsmTrunkOptions> = {}, plugged = true): Promise<this> {
    if (plugged) await this.host.plug()
    this.trunk = createGsmTrunk({
      id: 'gsm0',
      number: '+15550100',
      log: silent,
      device: await this.host.open(),
      baudRate: 115_200,
      reports: true,
      trace: (sent, text) => {
        this.trace.push(`${sent ? '>' : '<'} ${text}`)
        this.look()
      },
      ...quick,
      ...options,
    })
    this.start()
    return this
  }

  start(): void {
    this.trunk.start({
      received: async (text) => this.#took(text, this.received),
      report: async (report) => this.#took(report, this.reports),
      statusChanged: () => {
        this.states.push(this.trunk.status().state)
        this.look()
      },
    })
  }

  #took<T extends InboundText | SmsReport>(one: T, list: T[]): void {
    this.refuse?.(one)
    list.push(one)
    this.look()
  }

  /** Awaited conditions are looked at whenever anything happens. */
  look(): void {
    for (const one of this.#waiting.filter(({ check }) => check())) {
      this.#waiting.splice(this.#waiting.indexOf(one), 1)
      one.resolve()
    }
  }

  async until(check: () => boolean, what = String(check), seconds = 15): Promise<void> {
    if (check()) return
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`In vain: ${what}\n${this.trace.slice(-20).join('\n')}`)), seconds * 1000)
    })
    await Promise.race([new Promise<void>((resolve) => this.#waiting.push({ check, resolve })), late])
    clearTimeout(timer)
  }

  is(state: string): Promise<void> {
    return this.until(() => this.trunk.status().state === state, `state ${state}, is ${this.trunk.status().state}`)
  }

  send(
    to: string,
    segments: readonly string[],
    more: Partial<OutboundText> = {},
    signal = new AbortController().signal,
  ): Promise<SmsOutcome> {
    return this.trunk.send(outbound(to, segments, more), signal)
  }

  get stored(): number {
    const { SM, ME } = this.host.card.memories
    return SM.slots.size + ME.slots.size
  }

  async close(): Promise<void> {
    await this.trunk.stop()
    await this.host.close()
  }
}

export function outbound(to: string, segments: readonly string[], more: Partial<OutboundText> = {}): OutboundText {
  return {
    messageId: 'm1',
    to,
    from: '',
    body: segments.join(''),
    encoding: 'GSM-7',
    segments,
    reference: 0x1234,
    validitySeconds: 86_400,
    accepted: segments.map(() => null),
    ...more,
  }
}
