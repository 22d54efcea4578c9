/**
 * Texts that come again because the session ended before the service had read their acknowledgement. SMPP gives a text
 * neither an id nor a time; but the same bytes on the next session, soon after, are the same text.
 */
import { createHash } from 'node:crypto'
import type { Pdu } from './codec.ts'
import { contentOf } from './addresses.ts'

/** An acknowledgement that is older than this when the session ends was read. */
const unsureMs = 60_000
const againMs = 600_000
const most = 1000

interface Kept {
  readonly at: number
  readonly durable: Promise<void>
}

export class Redeliveries {
  #session = new Map<string, Kept>()
  #before = new Map<string, Kept>()

  /** Keeps a text once, and resolves when it is durable. */
  async once(pdu: Pdu, now: number, keep: () => Promise<void>): Promise<void> {
    const key = keyOf(pdu)
    const earlier = this.#before.get(key)
    this.#before.delete(key)
    if (earlier !== undefined && now - earlier.at < againMs && (await succeeded(earlier.durable))) return
    const durable = keep()
    this.#session.delete(key)
    this.#session.set(key, { at: now, durable })
    if (this.#session.size > most) this.#session.delete(this.#session.keys().next().value!)
    await durable
  }

  sessionEnded(now: number): void {
    const unsure = [...this.#session].filter(([, { at }]) => now - at < unsureMs)
    const still = [...this.#before].filter(([, { at }]) => now - at < againMs)
    this.#before = new Map([...still, ...unsure])
    this.#session = new Map()
  }
}

function keyOf(pdu: Pdu): string {
  const {
    source_addr: from,
    destination_addr: to,
    esm_class: kind,
    data_coding: coding,
    sar_msg_ref_num: part,
    sar_segment_seqnum: index,
  } = pdu
  return createHash('sha256')
    .update(JSON.stringify([from, to, kind, coding, part, index]))
    .update(contentOf(pdu))
    .digest('hex')
}

function succeeded(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}
