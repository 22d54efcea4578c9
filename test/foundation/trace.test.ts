import t from 'tap'
import { CallTrace } from '../../daemon/calls/trace.ts'
import { FakeClock } from '../harness/fake-clock.ts'

t.test('what is read of a trace is masked, each entry as it was when it happened, and who watches sees it as it is', (t) => {
  const clock = new FakeClock()
  const trace = new CallTrace(clock.elapsed())
  const watched: string[] = []
  trace.observe(({ text }) => watched.push(text))
  trace.add(clock, 'state', 'queued: to +15551230001')
  trace.add(clock, 'key', '7')
  const data = { reason: 'busy', said: 'my name is Jane' }
  trace.add(clock, 'verb', 'gather', data)
  data.reason = 'changed since'
  trace.add(clock, 'prompt', 'Good morning, Jane')
  const wanted = [
    { kind: 'state', text: 'queued: to ***0001' },
    { kind: 'key', text: '*' },
    { kind: 'verb', text: 'gather', data: { reason: 'busy', said: '*** (15 characters)' } },
    { kind: 'prompt', text: '*** (18 characters)' },
  ]
  t.match(trace.entries(), wanted)
  trace.add(clock, 'key', '8')
  t.match(trace.entries(), [...wanted, { kind: 'key', text: '*' }], 'what was read already is not masked twice')
  t.same(watched, ['queued: to +15551230001', '7', 'gather', 'Good morning, Jane', '8'])
  trace.forget()
  trace.add(clock, 'key', '9')
  t.match(trace.entries(), [{ kind: 'key', text: '*' }])
  t.equal(trace.entries().length, 1)

  const full = new CallTrace(clock.elapsed(), true)
  full.add(clock, 'key', '7')
  t.match(full.entries(), [{ kind: 'key', text: '7' }])
  t.end()
})

t.test('a trace that is full tells how much was left out, and what it has is masked to the last', (t) => {
  const clock = new FakeClock()
  const trace = new CallTrace(clock.elapsed())
  for (let n = 0; n < 1003; n++) trace.add(clock, 'key', String(n % 10))
  t.equal(trace.entries().length, 1000)
  t.equal(trace.dropped, 3)
  t.ok(trace.entries().every(({ text }) => text === '*'))
  t.end()
})
