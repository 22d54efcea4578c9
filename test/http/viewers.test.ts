/** Several people who look at what one program shows them: each stream has a bucket of requests of its own. */
import { Type } from '@sinclair/typebox'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { CallerRates } from '../../daemon/http/callers.ts'
import { defineRoute, type Route } from '../../daemon/http/route.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { eventually } from '../harness/scene.ts'
import { all, Scene, sendOnly } from './serve.ts'

class Watched {
  open = 0
  readonly routes: Route[] = [
    defineRoute({
      method: 'GET',
      path: '/watch',
      access: 'send',
      operationId: 'watch',
      summary: '',
      tag: '',
      query: Type.Object({ refuse: Type.Optional(Type.Boolean()) }),
      responses: { 200: { description: 'Events.', contentType: 'text/event-stream' } },
      handle: ({ signal, query }) => {
        if (query.refuse === true) return { status: 404, body: {} }
        this.open += 1
        return {
          status: 200,
          events: async (push) => {
            await push(': begun\n\n')
            await new Promise((left) => signal.addEventListener('abort', left))
          },
          release: () => (this.open -= 1),
        }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/pages',
      access: 'send',
      operationId: 'pages',
      summary: '',
      tag: '',
      responses: {},
      handle: () => ({ status: 200, body: {} }),
    }),
  ]
}

async function stage(t: Test) {
  const watched = new Watched()
  const scene = await Scene.open({ requestsPerSecond: 20, burst: 40 }, watched.routes)
  t.teardown(() => scene.close())
  const watch = async (token: string) => {
    const leave = new AbortController()
    const answer = await request(`${scene.url}/watch`, { headers: { authorization: `Bearer ${token}` }, signal: leave.signal })
    answer.body.on('error', () => undefined)
    return { status: answer.statusCode, leave: () => leave.abort() }
  }
  const pages = async (count: number, token = all) => {
    const answers = await Promise.all(Array.from({ length: count }, () => scene.ask('GET', '/pages', { token })))
    return answers.filter(({ status }) => status === 200).length
  }
  return { scene, watched, watch, pages }
}

t.test('fifty people watch through one program, each reads on, and the other program has what it always has', async (t) => {
  const { scene, watched, watch, pages } = await stage(t)
  t.equal(await pages(60), 40, 'a program without viewers')
  const viewers = await Promise.all(Array.from({ length: 50 }, () => watch(all)))
  t.same([...new Set(viewers.map(({ status }) => status))], [200])
  t.equal(await pages(200), 200, 'four pages of each, at once')
  t.equal(await pages(60, sendOnly), 40)
  for (const { leave } of viewers) leave()
  await eventually('they have left', () => watched.open === 0)
  t.equal(await pages(10), 0, 'their buckets left with them')
  scene.clock.advance(2_000)
  t.equal(await pages(60), 40)
})

t.test('whoever opens a stream again and again gains nothing by it', async (t) => {
  const { scene, watched, watch } = await stage(t)
  const statuses: number[] = []
  for (let n = 0; n < 50; n++) {
    const { status, leave } = await watch(all)
    statuses.push(status)
    leave()
    await eventually('it is closed', () => watched.open === 0)
  }
  t.equal(statuses.filter((status) => status === 200).length, 40)
  for (let n = 0; n < 3; n++) t.equal((await scene.ask('GET', '/watch?refuse=true', { token: sendOnly })).status, 404)
  t.equal((await watch(sendOnly)).status, 200, 'a stream that was refused holds no place')
})

t.test('a program with the most viewers that there may be takes the next one out of its own bucket', async (t) => {
  const rates = new CallerRates(20, 40, new FakeClock())
  const open = Array.from({ length: 50 }, () => rates.open('a'))
  t.ok(open.every(({ state }) => state.retrySeconds === 0 && state.remaining === 39))
  t.equal(rates.open('a').state.remaining, 39)
  t.equal(rates.open('a').state.remaining, 38)
  open[7]!.ended()
  t.equal(rates.open('a').state.remaining, 38, 'a place that is free again has what was left')
  t.equal(rates.take('b').remaining, 39)
})
