/** All phones of the house come back in the same moment, as after a power cut: none is lost, and none is kept out. */
import t from 'tap'
import { LightPhone, extensionOf, extensionsOf } from '../harness/light-phone.ts'
import { Scene, pause } from '../harness/scene.ts'

const count = 500
const promisedMs = 30_000
const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = extensionsOf(count)
    base['voice'] = {}
    base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: extensionOf(0) }]
  },
})
const { daemon } = scene
t.setTimeout(120_000)
t.teardown(() => scene.close())

t.test('500 phones register at once, within 30 s; the last of them can be called', async (t) => {
  const phones: LightPhone[] = []
  for (let n = 0; n < count; n++) phones.push(scene.keep(await LightPhone.open(scene, n)))
  const late = pause(promisedMs).then((): boolean[] => [])
  const registered = await Promise.race([Promise.all(phones.map((phone) => phone.register())), late])
  t.equal(registered.filter(Boolean).length, count, 'none is lost, and none comes later than promised')
  const shown = JSON.parse((await daemon.pbx('lines', '--json')).out)
  t.equal(JSON.stringify(shown).split('"registered"').length - 1 >= count, true)
  const [first, last] = [phones[0]!, phones.at(-1)!]
  const [calling, called] = await Promise.all([first.calls(last.user, 39_000), last.takes(39_002)])
  t.equal((await calling.ask('BYE')).status, 200)
  last.peer.answer(await called.request('BYE'), 200)
})
