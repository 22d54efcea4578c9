/** What is done with messages at the phone: keys in, what is said, played, heard and deleted out. */
import fc from 'fast-check'
import t from 'tap'
import { beginning, visitStep, type Visit, type VisitInput, type VisitStep } from '../../daemon/voicemail/menu/visit.ts'

const message = (id: string, heard = false, from = '+15551230001') => ({ id, heard, from, callable: from.startsWith('+') })
const three = [message('old', true), message('first'), message('second', false, '')]
const key = (pressed: string, atMs: number | null = null): VisitInput => ({ type: 'key', key: pressed, atMs })

/** The steps of a visit, one for each input. */
function visited(messages: Parameters<typeof beginning>[0], ...inputs: readonly VisitInput[]): VisitStep[] {
  let visit: Visit = beginning(messages)
  return [{ type: 'begin' } as const, ...inputs].map((input) => {
    const step = visitStep(visit, input)
    visit = step.visit
    return step
  })
}
const last = (...inputs: readonly VisitInput[]): VisitStep => visited(three, ...inputs).at(-1)!

t.test('new ones come first, and each is heard once it was played', async (t) => {
  t.match(visited([]), [{ said: ['counts', 'settingsHint'], end: null }])
  const steps = visited(three, { type: 'played' }, key('6'), { type: 'played' }, key('6'), { type: 'played' }, key('6'))
  t.same(
    steps.map(({ play }) => play?.message.id ?? null),
    ['first', null, 'second', null, 'old', null, null],
  )
  t.same(
    steps.map(({ heard }) => heard),
    [null, 'first', null, 'second', null, 'old', null],
  )
  t.same(steps.at(-1)!.said, ['noMore', 'options'])
  t.match(last(key('4')), { said: ['noEarlier', 'options'], play: null })
  t.equal(last(key('6', 800)).heard, 'first', 'whoever presses a key has heard enough')
})

t.test('back and forward by five seconds, again, call back', async (t) => {
  t.match(last(key('1', 7000)).play, { fromMs: 2000, introduced: false })
  t.match(last(key('1', 3000)).play, { fromMs: 0 })
  t.match(last(key('3', 3000)).play, { fromMs: 8000, introduced: false })
  t.match(last(key('5', 3000)).play, { fromMs: 0, introduced: true })
  t.same(last(key('2')).end, { dial: '+15551230001' })
  t.match(last(key('6'), key('2')), { said: ['noCallBack'], end: null })
  t.match(visited([message('help', false, '911')], key('2')).at(-1), { said: ['notCallable'], end: null }, 'whatever a stranger wrote')
  t.match(last(key('0')), { said: ['help'], end: null })
  t.same(last(key('#')).end, { dial: null })
})

t.test('beside the messages: greetings and PIN, also in an empty box, and a copy for another box; then it goes on', async (t) => {
  t.match(last(key('*', 700)), { said: [], aside: { kind: 'settings' }, heard: 'first', end: null })
  t.match(last(key('8')), { said: [], aside: { kind: 'forward', message: { id: 'first' } }, end: null })
  t.match(last(key('8'), { type: 'back' }), { said: ['options'], aside: null })
  t.match(last(key('8'), { type: 'back' }, key('6')).play, { message: { id: 'second' } })
  t.match(visited([], key('*')).at(-1), { aside: { kind: 'settings' } })
  t.match(visited([], key('*'), { type: 'back' }).at(-1), { said: ['settingsHint'], end: null })
  t.match(visited([], key('8')).at(-1), { said: ['settingsHint'], aside: null })
})

t.test('deleted, restored, saved', async (t) => {
  t.same([...last(key('7')).visit.deleted], ['first'])
  t.same([...last(key('7'), key('7')).visit.deleted], [])
  t.same([...last(key('7'), key('6'), key('4'), key('9')).visit.deleted], [], 'what is saved is kept')
  t.same(last(key('9')).play?.message.id, 'second')
})

t.test('whatever is pressed: only messages of the box are played and deleted, and # ends it', async () => {
  const inputs = fc.oneof(
    fc.record({ type: fc.constant('key' as const), key: fc.constantFrom(...'0123456789*#ABCD'), atMs: fc.option(fc.nat(60_000)) }),
    fc.constant({ type: 'played' as const }),
  )
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 5 }), fc.array(inputs, { maxLength: 40 }), (heard, given) => {
      const messages = heard.map((was, index) => message(`m${index}`, was))
      const ids = messages.map(({ id }) => id)
      const steps = visited(messages, ...given)
      const known = (id: string | null | undefined): boolean => id == null || ids.includes(id)
      return (
        steps.every(({ play, heard: id, visit }) => known(play?.message.id) && known(id) && [...visit.deleted].every(known)) &&
        steps.every(({ play }) => (play?.fromMs ?? 0) >= 0) &&
        visited(messages, ...given, key('#')).at(-1)!.end !== null
      )
    }),
  )
})
