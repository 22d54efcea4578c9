/** Tests that call, and that are called. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import { callLines } from '../../../../daemon/schema/call-lines.ts'
import type { Config } from '../../../../daemon/schema/config.ts'
import type { CallView } from '../../../../daemon/schema/voice-api.ts'
import type { Context } from '../../command.ts'
import { others } from '../../commands/calls.ts'
import { dim, duration, localTime, print } from '../../output.ts'
import { tried, type Trial, type Verdict } from '../step.ts'

const askMs = 500
const ringSeconds = 30
/** Of the whole call, with what is said. */
const callSeconds = 60

export function callOut(config: Config): Trial[] {
  const { site, extensions } = config
  const outside = callLines(config).length > 0
  if (!outside && extensions.length === 0) return []
  return [
    {
      name: 'A call out',
      byHand: outside ? 'call a mobile phone from one of the phones' : 'call one phone from another',
      ask: async (questions) =>
        (await questions.optional(outside ? 'Number to call, such as your mobile phone:' : 'Phone to call:')) || null,
      run: (context, to) => called(context, to, `This is a test call of ${site.name}. It works. Goodbye.`),
    },
  ]
}

async function called({ client }: Context, to: string, text: string): Promise<Verdict> {
  const asked = await client()
  const order = { to, document: [{ say: { text } }], timeout: ringSeconds, maxDuration: callSeconds }
  const { callId } = await asked.post<{ callId: string }>('/api/voice/originate', order)
  let told = ''
  for (const deadline = performance.now() + (ringSeconds + callSeconds + 10) * 1000; ;) {
    const call = await asked.get<CallView>(`/api/voice/calls/${callId}`)
    if (call.state !== told) print(dim(`  ${call.state}`))
    told = call.state
    if (call.endedAt !== null || performance.now() > deadline) return ended(call)
    await pause(askMs)
  }
}

function ended({ callId, to, answeredAt, endReason, sipCode = 0, talkSeconds }: CallView): Verdict {
  if (answeredAt !== null) return { ok: true, text: `${to} answered and heard the test message for ${duration(talkSeconds)}` }
  const code = sipCode === 0 ? '' : `, SIP ${sipCode}`
  const fix =
    endReason === 'no-answer' || endReason === 'busy'
      ? 'answer the call, or give another number'
      : `pbx trace ${callId} shows the answer of the far end; see also pbx lines`
  return { ok: false, text: `${to} was not reached (${endReason ?? 'it is still in progress'}${code})`, fix }
}

/** Each way in: a provider that takes our calls need not send us any. */
export function callIn(config: Config): Trial[] {
  return callLines(config)
    .filter(({ numbers }) => numbers.length > 0)
    .map(({ id, numbers: [number] }) => ({
      name: `A call in over ${id}`,
      byHand: `call ${number} from a mobile phone; then pbx trace last`,
      ask: async (questions) => {
        const since = new Date().toISOString()
        return (await questions.ready(`Call ${number} from a mobile phone. When it has rung, press Enter`)) ? since : null
      },
      run: (context, since) => cameIn(context, id, since, number!),
    }))
}

async function cameIn({ client }: Context, trunk: string, since: string, number: string): Promise<Verdict> {
  const calls = await (await client()).list<CallView>('/api/voice/calls', 20, { state: 'all' })
  const call = calls.find(({ direction, trunkId, createdAt }) => direction === 'inbound' && trunkId === trunk && createdAt >= since)
  if (call === undefined)
    return {
      ok: false,
      text: `no call has come in over ${trunk} yet`,
      fix: `check with pbx lines that ${trunk} is up, ask the provider where it sends calls to ${number}, and see refused calls in pbx events`,
    }
  const { from, to, state } = call
  const who = others(call)
  return { ok: true, text: `${from || 'an unknown number'} called ${to}: ${state}${who === '-' ? '' : `, ${who}`}` }
}

/** Somebody's time is taken: only for who asks for it. */
export function help(config: Config): Trial[] {
  if (callLines(config).length === 0) return []
  return [
    {
      name: 'Emergency calls',
      byHand: 'pbx emergency test',
      ask: async (questions) =>
        (await questions.yes(
          `Call the provider's test number (${config.emergency.testNumber})? It does not reach emergency services.`,
          false,
        ))
          ? ''
          : null,
      run: (context) => tried(context, ['emergency', 'test'], 'check emergency.trunks and emergency.testNumber in the configuration'),
    },
  ]
}

export function page({ trunks, lines }: Config): Trial[] {
  if (trunks.length === 0 && !lines.some(({ roles }) => roles.includes('fax'))) return []
  return [
    {
      name: 'A fax',
      byHand: 'pbx fax send page.pdf --to NUMBER, and one back',
      ask: async (questions) => (await questions.optional('Fax number for a test page:')) || null,
      run: sent,
    },
  ]
}

async function sent(context: Context, to: string): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-setup-'))
  try {
    const file = join(folder, 'test.pdf')
    writeFileSync(file, await testPage())
    return await tried(context, ['fax', 'send', file, '--to', to], 'see the reason above; docs/fax.md explains each one')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function testPage(): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  const sheet = document.addPage([612, 792])
  const lines = ['Test page of a telephone system.', 'No action is needed.', localTime(new Date().toISOString())]
  for (const [at, line] of lines.entries()) sheet.drawText(line, { x: 72, y: 680 - 28 * at, size: 18, font })
  return document.save()
}
