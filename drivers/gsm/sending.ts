/** One text to the network, part by part in order; a part that was accepted before is not sent again. */
import type { OutboundText, SmsOutcome } from '../sms.ts'
import type { AtChannel, SubmitReply } from './at-channel.ts'
import { judge } from './errors.ts'
import { valuesOf } from './lines.ts'
import type { LostAnswers } from './lost-answers.ts'
import { encodeSubmit, PduError } from './pdu.ts'

export interface SendingOptions {
  /** Whether the network is asked for status reports. */
  readonly reports: boolean
  /** False as soon as nothing more is to be written. */
  readonly go: () => boolean
  readonly lost: LostAnswers
}

type PartResult =
  { readonly reference: string } | { readonly kind: 'temporary' | 'refused' | 'unknown'; readonly text: string; readonly code: string }

export async function sendText(at: AtChannel, text: OutboundText, options: SendingOptions): Promise<SmsOutcome> {
  options.lost.writing(text.to)
  const outcome = await sendParts(at, text, options)
  options.lost.writing(null)
  return outcome
}

async function sendParts(at: AtChannel, text: OutboundText, options: SendingOptions): Promise<SmsOutcome> {
  const accepted: (string | null)[] = text.segments.map((_, i) => text.accepted[i] ?? null)
  // A modem that restarted unnoticed may be in text mode, and would take the PDU for words.
  const mode = await at.command('AT+CMGF=0')
  if (mode.code !== 'ok') return { kind: 'temporary', text: 'The modem does not go into PDU mode', accepted }
  let linked = false
  for (const [i, segment] of text.segments.entries()) {
    if (accepted[i] !== null) continue
    // Keeps the radio link up between parts; ends by itself (27.005 3.5.6). A modem without it is only slower.
    if (!linked && text.segments.length > 1) await at.command('AT+CMMS=1')
    linked = true
    const writing = Date.now()
    const result = await sendPart(at, text, segment, i + 1, options)
    if ('reference' in result) {
      accepted[i] = result.reference
      options.lost.given(result.reference, text.to)
      continue
    }
    if (result.kind === 'unknown') options.lost.lose(text.messageId, i, text.to, writing)
    return { ...result, accepted }
  }
  return { kind: 'accepted', accepted }
}

async function sendPart(at: AtChannel, text: OutboundText, segment: string, index: number, options: SendingOptions): Promise<PartResult> {
  const total = text.segments.length
  let pdu
  try {
    pdu = encodeSubmit({
      to: text.to,
      text: segment,
      encoding: text.encoding,
      ...(total > 1 ? { part: { reference: text.reference, total, index } } : {}),
      validitySeconds: text.validitySeconds,
      report: options.reports,
    })
  } catch (error) {
    if (error instanceof PduError) return { kind: 'refused', text: error.message, code: 'pdu' }
    throw error
  }
  return partResult(await at.submit(pdu.length, pdu.hex, options.go), options.go())
}

function partResult(reply: SubmitReply, going: boolean): PartResult {
  const { code, written, error } = reply
  // Some forget the reference; reports of such a part cannot be matched.
  if (code === 'ok' && written) return { reference: valuesOf(reply.lines, '+CMGS')?.[0] ?? '' }
  // Such as a modem that resets between its +CMGS and its OK: the network has the text.
  const early = written ? valuesOf(reply.lines, '+CMGS')?.[0] : undefined
  if (early !== undefined && /^\d+$/.test(early)) return { reference: early }
  if (code === 'error' && error !== null) {
    const { verdict, text } = judge(error)
    const said = error.kind === 'plain' ? 'ERROR' : `+${error.kind.toUpperCase()} ERROR ${error.code < 0 ? error.text : error.code}`
    return {
      kind: verdict,
      text: `The modem did not send it: ${text} (${said})`,
      code: error.code < 0 ? said : `${error.kind}-${error.code}`,
    }
  }
  if (written) {
    const text = code === 'closed' ? 'The modem was unplugged while it sent' : 'The modem accepted the text but did not report the result'
    return { kind: 'unknown', text, code: '' }
  }
  if (!going) return { kind: 'temporary', text: 'The trunk was stopped before the text was sent', code: '' }
  const text = code === 'closed' ? 'The modem was unplugged before the text was sent' : 'The modem did not ask for the text in time'
  return { kind: 'temporary', text, code: '' }
}
