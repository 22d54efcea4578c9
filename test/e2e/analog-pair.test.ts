/** Two whole boxes call each other over an analog line (test/harness/lines/pair.ts). */
import t from 'tap'
import { readWav, toneLevel } from '../harness/audio.ts'
import { boxes, calls, ended, numbers, person, says, state } from '../harness/lines/pair.ts'
import { eventually, type Scene } from '../harness/scene.ts'

const [one, two] = boxes

const recorded = async ({ app, daemon }: Scene): Promise<Int16Array> => {
  const { mediaUrl } = (await app.until('record.completed', () => true, 60_000)).event
  const answer = await fetch(daemon.http + mediaUrl, { headers: { authorization: `Bearer ${daemon.token}` } })
  return readWav(Buffer.from(await answer.arrayBuffer())).samples
}
t.test(
  'answered by an application: each records what the other one says; who stays hears by the tone that the other has hung up',
  async (t) => {
    const record = ({ app }: Scene) => ({ record: { maxSeconds: 3, silenceTimeout: 10, playBeep: false, actionUrl: `${app.url}/said` } })
    // By its voice the caller hears that somebody has answered.
    two.app.script = (e) =>
      e.event === 'call.inbound.pre_route' ? [says(two), record(two)] : e.event === 'record.completed' ? [{ hangup: {} }] : []
    one.app.script = (e) =>
      e.event === 'call.answered' ? [record(one)] : e.event === 'record.completed' ? [says(one), { pause: { seconds: 60 } }] : []
    t.equal((await calls(numbers[1])).status, 200)
    t.match((await two.app.until('call.inbound.pre_route', () => true, 60_000)).event, {
      from: numbers[0],
      to: numbers[1],
      trunkId: 'line1',
    })
    const first = await recorded(one)
    t.ok(toneLevel(first.subarray(-8000), 900) > -25, 'the called one at the caller')
    t.ok(toneLevel(first.subarray(-8000), 700) < -45, 'and nothing of its own')
    const second = await recorded(two)
    t.ok(toneLevel(second.subarray(-8000), 700) > -25, 'the caller at the called one')
    t.match(await ended(two), { state: 'completed', endReason: 'app-hangup' })
    // This exchange opens no loop: it gives busy tone.
    t.match(await ended(one), { state: 'completed', endReason: 'callee-hangup' })
  },
)

t.test('busy, nobody there, nobody answers', async (t) => {
  person.lift()
  const tried = await calls('+15551230009')
  t.match(await ended(one), { callId: tried.body.callId, state: 'busy' })
  person.hangUp()
  one.app.reset()
  await eventually('ready', async () => (await state(one)) === 'ready')
  await calls('+15559990000')
  t.match(await ended(one), { state: 'failed', endReason: /./ })
  one.app.reset()
  await eventually('ready', async () => (await state(one)) === 'ready')
  await calls('+15551230009', { timeout: 10 })
  t.match(await ended(one), { state: 'no-answer' })
  t.ok(person.rings > 0, 'it rang')
})
