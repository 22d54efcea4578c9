/** What stops an application that fails, and one that leads its caller in circles. */
import fc from 'fast-check'
import t from 'tap'
import {
  breakerAbandoned,
  breakerClosed,
  breakerFailed,
  breakerOpenMs,
  breakerPass,
  breakerSucceeded,
  type BreakerState,
} from '../../daemon/voice/breaker.ts'
import { CallGuards } from '../../daemon/voice/guards.ts'

t.test('breaker: four failures are not enough, and a success forgets them', async (t) => {
  let state: BreakerState = breakerClosed
  for (let count = 0; count < 4; count++) state = breakerFailed(state, 'normal', 0)
  t.equal(breakerPass(state, 0).pass, 'normal')
  state = breakerSucceeded()
  for (let count = 0; count < 4; count++) state = breakerFailed(state, 'normal', 0)
  t.equal(breakerPass(state, 0).pass, 'normal')
  state = breakerFailed(state, 'normal', 0)
  t.equal(breakerPass(state, breakerOpenMs - 1).pass, 'refused')
  const probe = breakerPass(state, breakerOpenMs)
  t.equal(probe.pass, 'probe')
  t.equal(breakerPass(probe.state, breakerOpenMs).pass, 'refused', 'one probe at a time')
  t.equal(breakerPass(breakerAbandoned(probe.state, 'probe'), breakerOpenMs).pass, 'probe', 'a caller who hangs up gives the probe back')
  t.equal(breakerFailed(probe.state, 'normal', breakerOpenMs), probe.state, 'a request from before says nothing about the probe')
})

t.test('property: an endpoint that stays down gets at most one request in 30 s once it failed five times', async () => {
  const step = fc.tuple(fc.integer({ min: 0, max: 5000 }), fc.boolean())
  fc.assert(
    fc.property(fc.array(step, { minLength: 6, maxLength: 200 }), (steps) => {
      let state: BreakerState = breakerClosed
      let now = 0
      const sent: number[] = []
      for (const [pause, abandons] of steps) {
        now += pause
        const { state: next, pass } = breakerPass(state, now)
        state = next
        if (pass === 'refused') continue
        if (abandons) state = breakerAbandoned(state, pass)
        else {
          sent.push(now)
          state = breakerFailed(state, pass, now)
        }
      }
      return sent.every((at, index) => index < 5 || at - sent[index - 1]! >= breakerOpenMs)
    }),
  )
})

t.test('guards: an application that leads its caller in circles is stopped', async (t) => {
  const limits = { redirects: 10, documents: 500, silentGathers: 30 }
  const repeat = (times: number, what: () => string | null) => Array.from({ length: times }, what)
  const redirects = new CallGuards(limits)
  t.ok(repeat(10, () => redirects.redirect()).every((refused) => refused === null))
  t.match(redirects.redirect(), /redirect loop/)
  redirects.mediaOrInput()
  t.equal(redirects.redirect(), null, 'audio played ends the row')
  repeat(9, () => redirects.redirect())
  redirects.gathered('timeout')
  t.match(redirects.redirect(), /redirect loop/, 'a silent gather does not')
  redirects.gathered('digits')
  t.equal(redirects.redirect(), null, 'input taken does')

  const documents = new CallGuards(limits)
  t.ok(repeat(500, () => documents.document()).every((refused) => refused === null))
  t.match(documents.document(), /500 control documents/)

  const silent = new CallGuards(limits)
  t.ok(repeat(29, () => silent.gathered('timeout')).every((refused) => refused === null))
  t.equal(silent.redirect(), null, 'a redirect between them changes nothing')
  t.equal(silent.gathered('timeout'), null)
  t.match(silent.gathered('timeout'), /without input/)
  silent.gathered('speech')
  t.equal(silent.gathered('timeout'), null)
})
