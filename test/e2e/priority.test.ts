/** Who goes first on a box that has much to do: the loop that callers wait for, before all that is drawn, spoken and understood. */
import { getPriority, setPriority } from 'node:os'
import t from 'tap'
import { childrenOf, commandOf } from '../harness/processes.ts'
import { eventually, Scene } from '../harness/scene.ts'

function refusal(): string | false {
  try {
    setPriority(-1)
    setPriority(0)
    return false
  } catch (error) {
    return `this system lets us not go before others (${(error as Error).message})`
  }
}

t.test('the daemon goes before other programs, and the voice after them', { skip: refusal() }, async (t) => {
  const scene = await Scene.open({ settings: (base) => (base['speech'] = { recogniser: 'auto' }) })
  t.teardown(() => scene.close())
  const { app, daemon } = scene
  t.equal(getPriority(daemon.pid), -10)
  const voice = () => childrenOf(daemon.pid).find((pid) => commandOf(pid).includes('speech-process'))
  app.script = (e) =>
    e.event === 'call.inbound.pre_route' ? [{ gather: { input: 'speech', timeout: 4, actionUrl: `${app.url}/words` } }] : []
  const caller = await scene.call()
  await eventually('the voice', () => voice() !== undefined && getPriority(voice()!) > 0)
  t.equal(getPriority(voice()!), 5)
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
})
