/** Messages for a mailbox, left by callers on SIP phones: greeting, tone, what is kept and what is not, and the end of the daemon. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { concat, findClip, rate, readWav, rms, silence, toEightKhz, tone, toneLevel } from '../harness/audio.ts'
import type { Phone } from '../harness/sipp.ts'
import { Scene, eventually } from '../harness/scene.ts'

const scene = await Scene.open({
  settings: (base) => {
    base['mailboxes'] = [{ ext: '200', greeting: 'You have reached the nurse line.', operator: '101' }]
    base['inbound'] = [
      { trunk: 'main', to: '+15550001000', destination: 'endpoint:reception' },
      { trunk: 'main', to: '+15550001001', destination: 'voicemail:101' },
      { trunk: 'main', to: '+15550001002', destination: 'voicemail:200' },
    ]
    const { endpoints } = base['voice'] as { endpoints: { fallbackDestination: string }[] }
    endpoints[0]!.fallbackDestination = 'voicemail:101'
  },
})
const { app, daemon } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

const frontDesk = 'Front desk cannot take your call. Please leave a message after the tone.'
const folder = join(daemon.dir, 'var', 'recordings')
let since = 0

interface Item {
  readonly id: string
  readonly [name: string]: unknown
}

/** What came into the inbox since it was asked last. */
async function newItems(): Promise<Item[]> {
  const { body } = await daemon.api('GET', `/api/inbox/voicemails?since=${since}`)
  since = body.nextSince
  return body.items
}

async function nextItem(): Promise<Item> {
  let items: Item[] = []
  await eventually('a message is in the inbox', async () => (items = await newItems()).length > 0, 15_000)
  t.equal(items.length, 1)
  return items[0]!
}

/** 100 ms of nothing but 1000 Hz. */
function beeped(samples: Int16Array): boolean {
  const window = rate / 10
  for (let at = 0; at + window <= samples.length; at += window / 5) {
    const part = samples.subarray(at, at + window)
    const level = toneLevel(part, 1000)
    if (level > -25 && level > 20 * Math.log10(rms(part) / 32768) + 2) return true
  }
  return false
}

/** Calls a mailbox and waits for its tone. */
async function toTheTone(to: string, from = '+15551230001'): Promise<Phone> {
  const caller = await scene.call({ to, from })
  await caller.rtp.until('the tone', () => beeped(caller.rtp.heard()), 20_000)
  return caller
}

t.test('a caller hears whose mailbox it is, speaks after the tone, ends with #: the message is in the inbox, and only there', async (t) => {
  const caller = await toTheTone('+15550001001')
  t.ok(caller.rtp.heardText(frontDesk).atMs >= 0, 'the greeting')
  caller.rtp.say(concat(tone(330, 3000, 9000), silence(200)))
  await caller.rtp.said()
  await caller.rtp.press('#')
  const spoken = await caller.rtp.sound(performance.now())
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.ok(caller.rtp.lastSound() - spoken > 1000, 'it is said that it was saved')
  const item = await nextItem()
  t.match(item, { ext: '101', from: '+15551230001', to: '+15550001001', callerName: 'ANN LEE', transcript: '' })
  t.match(item['callId'], /^CA/)
  t.ok(Number(item['durationSeconds']) >= 3, `${item['durationSeconds']} s`)
  const answer = await fetch(daemon.http + item['mediaUrl'], { headers: { authorization: `Bearer ${daemon.token}` } })
  t.equal(answer.status, 200)
  const { samples, sampleRate } = readWav(Buffer.from(await answer.arrayBuffer()))
  const heard = findClip(toEightKhz(samples, sampleRate), tone(330, 1000))
  t.ok(heard.heardMs >= 400, `330 Hz in the message: ${JSON.stringify(heard)}`)
  const { body } = await daemon.api('GET', `/api/voice/calls/${item['callId']}`)
  t.match(body, { state: 'completed', recordings: [] })
  t.same(readdirSync(join(daemon.dir, 'var', 'recordings')), [])
  t.same(await scene.finish(), [])
})

t.test('who hangs up has left the message; who hangs up at once has left none', async (t) => {
  const brief = await toTheTone('+15550001001', '+15551230002')
  await brief.hangup()
  t.equal(await brief.sip.exit, 0)
  const breath = await toTheTone('+15550001001', '+15551230002')
  await eventually('the recorder writes', () => readdirSync(folder).some((name) => statSync(join(folder, name)).size > 8000))
  await breath.hangup()
  t.equal(await breath.sip.exit, 0)
  const caller = await toTheTone('+15550001001', '+15551230003')
  caller.rtp.say(tone(330, 3500, 9000))
  await caller.rtp.said()
  await caller.hangup()
  t.equal(await caller.sip.exit, 0)
  t.match(await nextItem(), { ext: '101', from: '+15551230003' })
  await eventually('nothing is left', () => readdirSync(join(daemon.dir, 'var', 'recordings')).length === 0)
  t.same(await newItems(), [])
  t.same(await scene.finish(), [])
})

t.test('a key goes on to the tone; 0 calls the operator, and where nobody is there the message is taken', async (t) => {
  const caller = await scene.call({ to: '+15550001002', from: '+15551230004' })
  await caller.rtp.sound()
  await caller.rtp.press('5')
  await caller.rtp.until('the tone', () => beeped(caller.rtp.heard()))
  t.equal(caller.rtp.heardText('You have reached the nurse line.').whole, false, 'the greeting was cut')
  await caller.hangup()
  await caller.sip.exit
  const other = await scene.call({ to: '+15550001002', from: '+15551230005' })
  await other.rtp.sound()
  await other.rtp.press('0')
  await other.rtp.until('the tone', () => beeped(other.rtp.heard()), 20_000)
  other.rtp.say(tone(330, 3500, 9000))
  await other.rtp.said()
  await other.hangup()
  t.equal(await other.sip.exit, 0)
  t.match(await nextItem(), { ext: '200', from: '+15551230005' })
  t.same(await scene.finish(), [])
})

t.test('the mailbox is the fallback of an application that is down, which misses no number of its events', async (t) => {
  app.script = () => ({ status: 500 }) as never
  const caller = await toTheTone('+15550001000', '+15551230006')
  caller.rtp.say(tone(330, 3500, 9000))
  await caller.rtp.said()
  await caller.hangup()
  t.equal(await caller.sip.exit, 0)
  t.match(await nextItem(), { ext: '101', from: '+15551230006' })
  const ended = (await app.until('call.ended')).event
  const numbers = new Set(app.events().map(({ sequence }) => sequence))
  t.same(
    [...numbers].sort((a, b) => a - b),
    Array.from({ length: numbers.size }, (_, n) => n + 1),
  )
  t.equal(ended.sequence, numbers.size)
  t.same(ended.recordings, [])
})

t.test('kill -9 of the daemon in the middle of a message: what was said is in the inbox after the restart', async (t) => {
  const caller = await toTheTone('+15550001001', '+15551230007')
  caller.rtp.say(tone(330, 6000, 9000))
  await eventually('the recorder writes', () => readdirSync(folder).some((name) => statSync(join(folder, name)).size > 40_000))
  await daemon.kill()
  await daemon.start()
  const item = await nextItem()
  t.match(item, { ext: '101', from: '+15551230007' })
  t.ok(Number(item['durationSeconds']) >= 2)
  await eventually('nothing is left', () => readdirSync(folder).length === 0)
  await caller.close()
})
