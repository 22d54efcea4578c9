/**
 * sipp as the far end of a trunk: the phones of test/e2e/scenarios with a voice, and the changes to their scenarios that make them do
 * what only some far ends do. Each has an address of its own, by which the box knows its trunk.
 */
import { tone } from '../../../harness/audio.ts'
import { freePort } from '../../../harness/daemon.ts'
import { RtpPhone } from '../../../harness/phone.ts'
import { Sipp } from '../../../harness/sipp.ts'
import { parse, type SipMessage } from '../../../engine/sip-peer.ts'
import type { Far } from '../box.ts'
import { check, type Kept } from '../cell.ts'
import { levelOf } from '../sound.ts'

/** Answers the request that came last. */
export const ok200 = `<send><![CDATA[
      SIP/2.0 200 OK
      [last_Via:]
      [last_From:]
      [last_To:]
      [last_Call-ID:]
      [last_CSeq:]
      Content-Length: 0

  ]]></send>`

export const number = '+15550001000'
export const patient = '+15551230001'
const amplitude = 8000
/** Long enough for a call in which something happens. */
const voice = tone(1000, 20_000, amplitude)

export type Edit = (xml: string) => string
export const edits =
  (...list: readonly Edit[]): Edit =>
  (xml) =>
    list.reduce((text, edit) => edit(text), xml)
const must = (xml: string, from: string | RegExp, to: string): string => {
  check(typeof from === 'string' ? xml.includes(from) : from.test(xml), `the scenario has no ${String(from)}`)
  return xml.replace(from, to)
}
/** Replaces what is there, or throws. */
export const replaced =
  (from: string | RegExp, to: string): Edit =>
  (xml) =>
    must(xml, from, to)
/** More headers in the message that begins with `start`. */
export const withHeaders =
  (start: string, ...lines: readonly string[]): Edit =>
  (xml) =>
    must(xml, new RegExp(`(\\n +${start}[^\\n]*\\n)`), `$1${lines.map((line) => `      ${line}\n`).join('')}`)

export interface Line {
  readonly address?: string
  readonly port?: number
  readonly transport?: 'u1' | 't1'
  readonly edit?: Edit
  readonly scenario?: string
  /** The number it calls, and its own. */
  readonly to?: string
  /** Milliseconds that it rings. */
  readonly ringMs?: number
  readonly law?: 0 | 8
  /** Where the box listens. */
  readonly target?: string
}

export class Phone implements Far {
  readonly sip: Sipp
  readonly rtp: RtpPhone
  readonly hz = 1000
  readonly level = levelOf(amplitude)

  private constructor(sip: Sipp, rtp: RtpPhone) {
    this.sip = sip
    this.rtp = rtp
    rtp.say(voice)
  }

  static async #open(kept: Kept, line: Line, fields: (rtp: RtpPhone) => readonly (string | number)[], scenario: string): Promise<Phone> {
    const { address = '127.0.0.2', port = await freePort(), transport = 'u1', edit, law, target, ringMs = 100 } = line
    const rtp = kept.keep(await RtpPhone.open(address))
    if (law !== undefined) rtp.law = law
    const sip = await Sipp.start({
      scenario: line.scenario ?? scenario,
      address,
      port,
      transport,
      fields: fields(rtp),
      arguments: ['-d', String(ringMs), '-timeout', '180'],
      edit: edits(
        law === 8 ? (xml) => xml.replaceAll('RTP/AVP 0', 'RTP/AVP 8').replaceAll('0 PCMU', '8 PCMA') : (xml) => xml,
        edit ?? ((xml) => xml),
      ),
      ...(target === undefined ? {} : { target }),
    })
    return new Phone(kept.keep(sip), rtp)
  }

  /** Waits for one call on its port. */
  static waits(kept: Kept, line: Line = {}): Promise<Phone> {
    return Phone.#open(kept, line, (rtp) => [rtp.port], 'callee')
  }

  /** Calls the box. */
  static calls(kept: Kept, target: string, line: Line = {}): Promise<Phone> {
    return Phone.#open(kept, { ...line, target }, (rtp) => [rtp.port, line.to ?? number, patient, 'ANN LEE'], 'caller')
  }

  heard(): Int16Array {
    return this.rtp.heard()
  }

  /** It sent and received all that its scenario holds. */
  async satisfied(): Promise<void> {
    const code = await this.sip.exit
    check(code === 0, `sipp ended with ${code}: ${this.sip.failure()}`)
  }

  command(word: 'HANGUP' | 'HOLD' | 'RESUME' | 'KEY' | 'DROP', called = false): Promise<void> {
    const theirs = /^Call-ID: *(\S+)/im.exec(this.sip.messages())?.[1]
    return this.sip.command(word, '1', called ? theirs : undefined)
  }

  /** The messages that it received, in order. */
  received(): SipMessage[] {
    const blocks = this.sip.messages().split(/^-{20,}.*$/m)
    return blocks.flatMap((block) => {
      const [, text] = /message received[^\n]*\n\n([\s\S]*)/.exec(block) ?? []
      return text === undefined ? [] : [parse(text.replaceAll(/\r?\n/g, '\r\n'), 0)]
    })
  }

  /** Packets that arrived after a moment of `performance.now()`. */
  packetsSince(at: number): number {
    return this.rtp.packets.filter((packet) => packet.at > at).length
  }
}
