/** The house closed at a phone (*28) and by the technician: what is said, where calls go, and that a restart changes nothing. */
import t from 'tap'
import { Baresip } from '../harness/baresip.ts'
import { listens } from '../harness/ears.ts'
import { Scene, eventually } from '../harness/scene.ts'

const password = 'a-long-password'
const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = [{ number: '101', name: 'Front desk', password }]
    base['hours'] = [{ id: 'office', open: { 'mon-sun': ['00:00-24:00'] }, whenOpen: '101', whenClosed: 'hangup' }]
  },
})
const { daemon } = scene
t.setTimeout(180_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())
const registrar = `127.0.0.1:${daemon.sipPort}`
const office = async () => (JSON.parse((await daemon.pbx('hours', '--json')).out) as Record<string, unknown>[])[0]!

/** Dials *28, and presses a key when it has been asked for. */
async function pressed(key: string): Promise<void> {
  const desk = scene.keep(await Baresip.start({ registrar, user: '101', password }))
  await desk.until('REGISTER_OK')
  await desk.command('dial', `sip:*28@${registrar}`)
  await desk.until('CALL_ESTABLISHED')
  await listens(desk, 500)
  await desk.command('sndcode', key)
  await desk.until('CALL_CLOSED', 30_000)
  await desk.close()
}

t.test('closed at a phone until the end of the day, kept, and opened again', async (t) => {
  t.match(await office(), { id: 'office', open: true, destination: '101', override: null })
  await pressed('2')
  t.match(await office(), { open: false, destination: 'hangup', override: 'closed', overrideUntil: /T/ })
  await daemon.kill()
  await daemon.start()
  t.match(await office(), { override: 'closed' })
  await pressed('3')
  await eventually('by the calendar', async () => (await office())['override'] === null)
})

t.test('pbx hours', async (t) => {
  const closed = await daemon.pbx('hours', 'office', 'closed', '--until', '23:59')
  t.match(closed, { code: 0, out: /closed until/ })
  t.match(await office(), { open: false })
  t.match(await daemon.pbx('where', '101', '--from', '101'), { code: 0, out: /extension 101 dials 101\n  extension 101: its phones ring/ })
  t.match(await daemon.pbx('where', '911', '--from', '101', '--json'), { code: 0, out: /emergency number/ })
  t.equal((await daemon.pbx('where', '101', '--at', 'soon')).code, 1)
  t.equal((await daemon.pbx('hours', 'office', 'auto')).code, 0)
  t.match(await office(), { open: true, override: null })
  t.equal((await daemon.pbx('hours', 'office', 'open', '--until', 'soon')).code, 1)
  t.equal((await daemon.pbx('hours', 'lunch')).code, 1)
  t.match((await daemon.pbx('audit', 'list', '--json')).out, /hours\.set/)
})
