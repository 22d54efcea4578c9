/**
 * Texts and reports from the modem to the daemon. What lies in a memory is taken away only after it was handed over for
 * good; what the modem hands over directly is acknowledged only then.
 */
import type { SmsTrunkHandlers, SmsTrunkLog } from '../sms.ts'
import type { AtChannel } from './at-channel.ts'
import type { Modem } from './bring-up.ts'
import { valuesOf } from './lines.ts'
import { decodePdu, PduError, type StatusReport } from './pdu.ts'

export interface InboundOptions {
  readonly id: string
  readonly number: string
  readonly log: SmsTrunkLog
  /** A full SIM card is read slowly. */
  readonly listMs: number
  /** Before it is handed over. */
  readonly reported: (report: StatusReport) => void
}

export interface MemoryUse {
  readonly used: number
  readonly total: number
}

/** 27.005 3.1: 0 and 1 came from outside; 2 and 3 were written here. */
const received: readonly string[] = ['0', '1', 'REC UNREAD', 'REC READ']
const mostUnreadable = 500
const hexadecimal = /^[0-9A-Fa-f]{20,}$/

export class Inbound {
  readonly #options: InboundOptions
  readonly #handlers: () => SmsTrunkHandlers
  /** Handed over, and perhaps still in a memory: only to be deleted. */
  readonly #done = new Set<string>()
  /** Directly handed over, nobody waits for an acknowledgement, and the daemon could not take it yet. */
  #held: string[] = []
  readonly #unreadable = new Set<string>()

  constructor(options: InboundOptions, handlers: () => SmsTrunkHandlers) {
    this.#options = options
    this.#handlers = handlers
  }

  get unreadable(): number {
    return this.#unreadable.size
  }

  /** All memories; the use of the first. Null where the modem stopped answering. */
  async sweep(at: AtChannel, modem: Modem): Promise<MemoryUse | null> {
    const held = this.#held
    this.#held = []
    for (const pdu of held) if (!(await this.#handOver(pdu))) this.#held.push(pdu)
    let use: MemoryUse | null = null
    for (const memory of modem.memories) {
      const selected = memory === '' ? null : await at.command(`AT+CPMS="${memory}"`)
      if (selected?.code === 'timeout' || selected?.code === 'closed') return null
      const [used, total] = (valuesOf(selected?.lines ?? [], '+CPMS') ?? []).map(Number)
      use ??= { used: used ?? 0, total: total ?? 0 }
      if (used === 0) continue
      const listed = await at.command('AT+CMGL=4', this.#options.listMs)
      if (listed.code === 'ok') for (const { index, pdu } of readList(listed.lines)) await this.#take(at, memory, index, pdu)
      else if (listed.code === 'error') for (let index = 0; index <= (total ?? 0); index++) await this.one(at, memory, index, true)
      else return null
    }
    return use
  }

  /** What a notice announced. It may be gone: a sweep was first. */
  async one(at: AtChannel, memory: string, index: number, selected = false): Promise<void> {
    if (!selected && ['timeout', 'closed'].includes((await at.command(`AT+CPMS="${memory}"`)).code)) return
    const { code, lines } = await at.command(`AT+CMGR=${index}`)
    const stat = valuesOf(lines, '+CMGR')?.[0] ?? ''
    const pdu = lines.find((line) => hexadecimal.test(line))
    if (code === 'ok' && pdu !== undefined && received.includes(stat)) await this.#take(at, memory, index, pdu)
  }

  /** False where it was not acknowledged, so that the modem's notices must be asked for again. */
  async direct(at: AtChannel, modem: Modem, pdu: string): Promise<boolean> {
    // What cannot be read now cannot be read later.
    const done = (await this.#handOver(pdu)) || this.#unreadable.has(pdu)
    if (!modem.acknowledges) {
      if (!done) this.#held.push(pdu)
      return true
    }
    return done && (await at.command('AT+CNMA')).code === 'ok'
  }

  async #take(at: AtChannel, memory: string, index: number, pdu: string): Promise<void> {
    if (this.#unreadable.has(pdu)) return
    const mark = `${memory} ${index} ${pdu}`
    if (!this.#done.has(mark)) {
      if (!(await this.#handOver(pdu))) return
      this.#done.add(mark)
    }
    if ((await at.command(`AT+CMGD=${index}`)).code === 'ok') this.#done.delete(mark)
  }

  /** True when the modem may forget it. What cannot be read stays where it is, for a person. */
  async #handOver(pdu: string): Promise<boolean> {
    const { id, number, log } = this.#options
    try {
      const read = decodePdu(pdu, Date.now())
      if (read.kind === 'report') {
        this.#options.reported(read)
        await this.#handlers().report(read.report)
      } else {
        const { kind: _, ...text } = read
        await this.#handlers().received({ ...text, to: number, providerId: '' })
      }
      return true
    } catch (error) {
      if (error instanceof PduError) {
        if (this.#unreadable.size < mostUnreadable) this.#unreadable.add(pdu)
        log.warn({ trunk: id, error: error.message }, 'A message from the modem cannot be read; one that is stored there stays there')
      } else log.warn({ trunk: id, error: String(error) }, 'A message could not be stored; it stays in the modem and comes again')
      return false
    }
  }
}

/** Header and PDU by turns. A PDU that a notice cut in two is left for the next sweep. */
function readList(lines: readonly string[]): { index: number; pdu: string }[] {
  return lines.flatMap((line, i) => {
    const values = valuesOf([line], '+CMGL')
    const pdu = lines[i + 1] ?? ''
    if (values === null || !received.includes(values[1] ?? '') || !hexadecimal.test(pdu)) return []
    return [{ index: Number(values[0]), pdu }]
  })
}
