/** What a caller and an application feel: INVITE to event, document to voice, key to silence. One clock: this process. */
import { RtpPhone } from '../../harness/phone.ts'
import { eventually, pause, type Scene } from '../../harness/scene.ts'
import { Sipp } from '../../harness/sipp.ts'
import { atMost, describe, fact, spread, type Measurement, type Row } from './measure.ts'
import { placeCalls, stage } from './stage.ts'

const rounds = 20
/** A call each. */
const longRounds = 8

/** Time stamps of sipp's message log (wall clock, microseconds) against the arrival of the events. */
async function inviteToEvent(scene: Scene): Promise<Row> {
  const arrived = new Map<string, number>()
  scene.app.script = (event, received) => {
    arrived.set(event.from, performance.timeOrigin + received.at)
    return [{ hangup: { cause: 'busy' } }]
  }
  const calls = 200
  const rows = Array.from({ length: calls }, (_, i) => `9;+1555${String(3000000 + i)}`)
  const load = await placeCalls(scene.daemon.sipPort, 'refused.xml', rows, { calls, rate: 20, trace: true })
  await load.done
  const times: number[] = []
  const sent = /-{20,} (\d{4}-\d\d-\d\d)\s+(\d\d:\d\d:\d\d\.\d+)[^\n]*\nUDP message sent[^\n]*\n\s*INVITE [\s\S]*?\nFrom: <sip:([^@]+)@/g
  const seen = new Set<string>()
  for (const [, day, time, from] of load.messages().matchAll(sent)) {
    const at = arrived.get(from ?? '')
    if (at === undefined || seen.has(from ?? '')) continue
    seen.add(from ?? '')
    // Date.parse keeps milliseconds only; the rest of the fraction is added.
    const [whole, fraction = '0'] = (time ?? '').split('.')
    times.push(at - (Date.parse(`${day}T${whole}Z`) + Number(`0.${fraction}`) * 1000))
  }
  await load.close()
  const s = spread(times)
  return atMost('INVITE -> call.inbound.pre_route, p95', 20, 'ms', s.p95, describe(s))
}

/** A scripted phone that calls. */
export async function call(scene: Scene): Promise<{ rtp: RtpPhone; sip: Sipp; close(): Promise<void> }> {
  const rtp = await RtpPhone.open()
  const fields = [rtp.port, '+15550001000', '+15551230001', 'BENCH']
  const sip = await Sipp.start({ scenario: 'caller', target: `127.0.0.1:${scene.daemon.sipPort}`, fields, arguments: ['-timeout', '180'] })
  return { rtp, sip, close: () => (rtp.close(), sip.close()) }
}

/** Milliseconds from the document that holds `text` to its first packet with sound. */
export async function documentToVoice(scene: Scene, texts: readonly string[]): Promise<number[]> {
  const times: number[] = []
  let at = 0
  let next = 0
  let answered = false
  const more = { redirect: { url: `${scene.app.url}/voice` } }
  scene.app.script = (event) => {
    if (event.event === 'call.inbound.pre_route') return [{ pause: { seconds: 0.6 } }, more]
    if (next >= texts.length) return [{ hangup: {} }]
    at = performance.now()
    answered = true
    return [{ say: { text: texts[next++] } }, { pause: { seconds: 0.4 } }, more]
  }
  const phone = await call(scene)
  for (let i = 0; i < texts.length; i++) {
    await eventually('a document', () => answered, 20000)
    answered = false
    const since = at
    const first = await firstSound(phone.rtp, since)
    times.push(first - since)
  }
  await phone.sip.exit
  await phone.close()
  return times
}

/** The first packet after `since` that is not digital silence: the quiet in which a clip begins counts. */
async function firstSound(rtp: RtpPhone, since: number): Promise<number> {
  let seen = 0
  let at = 0
  await rtp.until('sound', () => {
    for (; seen < rtp.packets.length && !at; seen++) {
      const p = rtp.packets[seen]
      if (p && p.at > since && p.payload.some((byte) => (byte & 0x7f) !== 0x7f)) at = p.at
    }
    return at > 0
  })
  return at
}

const long = 'Please press one for appointments, two for prescriptions, three for billing, or stay on the line to speak to somebody.'

/** From the first packet of a key, and from the packet that ends it, to the last packet with sound. */
export async function keyToSilence(scene: Scene, keyMs: number): Promise<{ begin: number[]; end: number[] }> {
  const begin: number[] = []
  const end: number[] = []
  scene.app.script = () => [{ pause: { seconds: 0.6 } }, { say: { text: long } }, { gather: { numDigits: 1, timeout: 5 } }]
  const phone = await call(scene)
  for (let i = 0; i < rounds; i++) {
    await phone.rtp.sound(performance.now())
    await pause(400 + Math.random() * 900)
    const { began, ended } = await phone.rtp.pressTimed('5', keyMs)
    await pause(200)
    const last = phone.rtp.lastSoundBefore(ended + 180)
    begin.push(Math.max(0, last - began))
    end.push(Math.max(0, last - ended))
    await pause(150)
  }
  await phone.sip.command('HANGUP')
  await phone.sip.exit
  await phone.close()
  return { begin, end }
}

/** `count` sentences; 180 of them fit into a text of 4096 characters. */
const sentencesOf = (count: number, of: string): string => Array.from({ length: count }, (_, at) => `${of} is ${at + 1}.`).join(' ')

/** Milliseconds from a document with a `say` of so many sentences to its first packet with sound; each in a call of its own. */
async function longText(scene: Scene, texts: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for (const text of texts) {
    let at = 0
    scene.app.script = (event) => {
      if (event.event === 'call.inbound.pre_route') return [{ pause: { seconds: 0.6 } }, { redirect: { url: `${scene.app.url}/voice` } }]
      if (at === 0) at = performance.now()
      return [{ say: { text } }]
    }
    const phone = await call(scene)
    await eventually('a document', () => at > 0, 20_000)
    times.push((await firstSound(phone.rtp, at)) - at)
    await phone.sip.command('HANGUP')
    await phone.sip.exit
    await phone.close()
  }
  return times
}

/** A text of 180 sentences and one of a single sentence, in turns. */
async function longTexts(scene: Scene): Promise<Row[]> {
  const times: Record<string, number[]> = {}
  const say = async (what: string, text: string) => (times[what] ??= []).push(...(await longText(scene, [text])))
  for (let i = 0; i < longRounds; i++) {
    for (const [what, count] of [
      ['one sentence', 1],
      ['180 sentences', 180],
    ] as const) {
      await say(`${what}, new text`, sentencesOf(count, `${count === 1 ? 'Car' : 'Bus'} ${i}`))
      await say(`${what}, cached`, sentencesOf(count, 'Counter'))
    }
  }
  return Object.entries(times).map(([what, ms]) => fact(`\`say\` of ${what} -> first audio packet`, describe(spread(ms)), 'ms'))
}

export const latency: Measurement = {
  name: 'latency',
  title: 'What a caller waits for',
  async run() {
    const scene = await stage()
    try {
      const rows = [await inviteToEvent(scene)]
      const same = 'One moment please.'
      await documentToVoice(scene, [same, same])
      const cached = spread(await documentToVoice(scene, Array<string>(rounds).fill(same)))
      rows.push(atMost('document -> first audio packet, cached, p95', 60, 'ms', cached.p95, describe(cached)))
      const fresh = Array.from({ length: rounds }, (_, i) => `It is number ${i + 10}.`)
      const unseen = spread(await documentToVoice(scene, fresh))
      rows.push(atMost('document -> first audio packet, new text, p95', 350, 'ms', unseen.p95, describe(unseen)))
      rows.push(...(await longTexts(scene)))
      const { begin, end } = await keyToSilence(scene, 60)
      const first = spread(begin)
      rows.push(atMost('key (its first packet) -> silence, p95', 25, 'ms', first.p95, describe(first)))
      rows.push(fact('key of 60 ms (the packet that ends it) -> silence', describe(spread(end)), 'ms'))
      return rows
    } finally {
      await scene.close()
    }
  },
}
