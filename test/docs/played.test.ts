/** The example of each verb's page is played on a simulated line, and gives the events that the page says. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { WebSocketServer } from 'ws'
import { verbs } from '../../daemon/voice/verbs/index.ts'
import { misfitsOf, sent } from '../harness/events-fit.ts'
import { SpeechStage, words } from '../voice/speech-stage.ts'

/** Hears a little of the caller, and closes. */
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
server.on('connection', (socket) => socket.on('message', (data) => /"chunk":"5"/.test(String(data)) && socket.close(1000)))
await once(server, 'listening')
const { port } = server.address() as AddressInfo
t.teardown(() => server.close())

/** What a caller does when the example waits for something. */
const caller: Readonly<Record<string, (stage: SpeechStage) => Promise<void>>> = {
  gather: (stage) => stage.far.press('1'),
  record: (stage) => stage.far.press('#'),
}

for (const { name, example, gives } of verbs.values()) {
  t.test(name, async (t) => {
    const stage = await SpeechStage.open(t)
    const { origin } = new URL(stage.url)
    const text = JSON.stringify(example).replaceAll('http://127.0.0.1:3000', origin)
    stage.start(JSON.parse(text.replaceAll('ws://127.0.0.1:3000', `ws://127.0.0.1:${port}`)) as unknown[])
    await stage.event('call.inbound.pre_route')
    const act = caller[name]
    if (act !== undefined) {
      await stage.until('the verb', () => stage.trace().includes(`"kind":"verb","text":"${name}"`))
      if (name === 'record') await stage.until('the recorder', () => stage.call.row.activity === 'recording')
      await act(stage)
    }
    await stage.until('the end of the call', () => stage.call.over.aborted, 15_000)
    await stage.call.settled
    const errors = stage.call.trace.entries().filter(({ kind }) => kind === 'error')
    t.same(errors, [])
    // Side events come only where they are asked for.
    for (const event of gives.filter((each) => each !== 'gather.partial' && each !== 'record.transcribed')) {
      const given = stage.events.find((each) => each.event === event)
      if (t.ok(given, event)) t.same(misfitsOf(given), [])
    }
    t.match(stage.call.row, { state: 'completed', endReason: name === 'hangup' ? 'app-hangup' : 'document-end' })
  })
}

t.test('words that come while the caller speaks, and a transcript that comes late, are sent as their pages say', async (t) => {
  const stage = await SpeechStage.open(t, { waitMs: 50 })
  stage.start([{ gather: { input: 'speech', partialUrl: stage.url } }])
  const hearing = await stage.hearing()
  hearing.say({ type: 'speech-onset' })
  hearing.say({ type: 'speech-partial', text: 'I would', stable: false })
  await stage.event('gather.partial')
  stage.far.hangup()
  hearing.say({ type: 'speech-final', text: 'I would like', confidence: 0.5, engine: 'test' })
  await stage.event('gather.completed')
  await stage.call.settled

  const late = await SpeechStage.open(t, { waitMs: 50 })
  late.start([{ record: { transcribe: true } }])
  await late.until('the recorder', () => late.call.row.activity === 'recording')
  await late.far.press('#')
  t.match(await late.event('record.completed'), { transcriptStatus: 'pending' })
  late.transcriber.live_.resolve(words('call me back'))
  t.match(await late.event('record.transcribed'), { transcript: 'call me back' })
  await late.call.settled
  for (const name of ['gather.partial', 'gather.completed', 'record.completed', 'record.transcribed']) t.ok(sent.has(name), name)
})
