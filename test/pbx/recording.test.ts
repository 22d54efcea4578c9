/** Which conversations are recorded, and the words about it. */
import t from 'tap'
import { RecordingNotices } from '../../daemon/pbx/recording/notice.ts'
import { recordedFor, type RecordedSide } from '../../daemon/pbx/recording/talk-recorder.ts'
import { recordPolicies, type RecordPolicy } from '../../daemon/schema/config/pbx-recording.ts'
import { FakeClock } from '../harness/fake-clock.ts'

type Config = Parameters<typeof recordedFor>[0]
const config = (extension: RecordPolicy, trunk: RecordPolicy = 'off', queue: RecordPolicy = 'off') =>
  ({
    extensions: [
      { number: '101', record: extension },
      { number: '102', record: 'off' },
    ],
    trunks: [{ id: 'main', record: trunk }],
    queues: [{ id: 'nurses', record: queue }],
  }) as unknown as Config
/** A phone or a trunk, and whether it has called the box. */
const side = (name: string, calls: boolean): RecordedSide => ({
  party: { extension: name === 'main' ? '' : name, trunkId: name === 'main' ? 'main' : '' },
  direction: calls ? 'inbound' : 'outbound',
})
const row = { direction: 'inbound' as const, steps: [] }
const matrix = (of: (policy: RecordPolicy) => string | null) => recordPolicies.filter((policy) => of(policy) !== null)

t.test('of an extension: talks to it are inbound, those its phones begin outbound, whoever the other is', async (t) => {
  for (const other of ['102', 'main']) {
    t.same(
      matrix((policy) => recordedFor(config(policy), row, [side(other, true), side('101', false)])),
      ['inbound', 'all'],
    )
    t.same(
      matrix((policy) => recordedFor(config(policy), row, [side('101', true), side(other, false)])),
      ['outbound', 'all'],
    )
  }
  t.equal(recordedFor(config('all'), row, [side('102', true), side('101', false)]), 'extension 101')
  t.equal(recordedFor(config('all'), row, [side('102', true), side('main', false)]), null, 'of others nothing')
})

t.test('of a trunk: what comes in and what goes out; of a queue: while the call is in it', async (t) => {
  t.same(
    matrix((policy) => recordedFor(config('off', policy), row, [side('main', true), side('102', false)])),
    ['inbound', 'all'],
  )
  t.same(
    matrix((policy) => recordedFor(config('off', policy), row, [side('102', true), side('main', false)])),
    ['outbound', 'all'],
  )
  const sides = [side('main', true), side('102', false)]
  const steps = (endedAt: number | null) => [{ at: 1, to: 'queue:nurses', endedAt, outcome: '' }]
  t.same(
    matrix((policy) => recordedFor(config('off', 'off', policy), { ...row, steps: steps(null) }, sides)),
    ['inbound', 'all'],
  )
  t.same(
    matrix((policy) => recordedFor(config('off', 'off', policy), { direction: 'outbound', steps: steps(null) }, sides)),
    ['outbound', 'all'],
  )
  t.equal(recordedFor(config('off', 'off', 'all'), { ...row, steps: steps(2) }, sides), null, 'it has left the queue')
})

t.test('the tones of a recorded talk: at once, every 15 s, to both, until it ends; none where words are the notice', async (t) => {
  const heard: string[] = []
  const leg = (name: string) => ({ playOver: () => heard.push(name) }) as never
  const clock = new FakeClock()
  const notices = (notice: 'beep' | 'announcement') =>
    new RecordingNotices({
      notice,
      clock,
      language: 'en-US',
      speaker: { prepare: () => ({ parts: [], warnings: [], late: Promise.resolve([]) }) },
    })
  const stop = notices('beep').beeps([leg('a'), leg('b')])
  t.same(heard, ['a', 'b'])
  clock.advance(30_000)
  t.same(heard, ['a', 'b', 'a', 'b', 'a', 'b'])
  stop()
  notices('announcement').beeps([leg('c')])
  clock.advance(60_000)
  t.equal(heard.length, 6)
})
