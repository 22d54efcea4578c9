/** A machine that stands still in the middle of a call: the sound of that time is lost, and the technician is notified. */
import t from 'tap'
import { Scene, eventually, pause } from '../harness/scene.ts'

const scene = await Scene.open()
const { app, daemon } = scene
t.setTimeout(60_000)
t.teardown(() => scene.close())

t.test('sound that a slow machine lost is counted, and pbx status says so', async (t) => {
  app.script = () => [{ pause: { seconds: 30 } }]
  await scene.call()
  await eventually('the call stands', async () => /in-progress/.test((await daemon.pbx('calls', '--json')).out), 8000)
  t.notMatch((await daemon.pbx('status')).out, /too slow/)
  const [engine] = daemon.enginePids()
  process.kill(engine!, 'SIGSTOP')
  await pause(500)
  process.kill(engine!, 'SIGCONT')
  const says = /The machine was too slow for its calls: 0\.[3-9] s of audio were lost within the last hour/
  // The engine counts every 10 s, and pbxd looks at its warnings every few.
  await eventually('pbx status says it', async () => says.test((await daemon.pbx('status')).out), 20_000)
  t.match(
    await (await fetch(`${daemon.http}/metrics`, { headers: { authorization: `Bearer ${daemon.token}` } })).text(),
    /pbx_engine_audio_lost_ms_total [3-9]\d\d\b/,
  )
})
