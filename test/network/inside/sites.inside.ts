/** Two sites and the network between them, whose link goes down and comes back: daemons in namespaces of their own, real phones. */
import { appendFileSync } from 'node:fs'
import t from 'tap'
import { stringify } from 'yaml'
import { tone } from '../../harness/audio.ts'
import { Baresip } from '../../harness/baresip.ts'
import { Daemon } from '../../harness/daemon.ts'
import { hears } from '../../harness/ears.ts'
import { eventually, Scene } from '../../harness/scene.ts'
import { desk } from '../../harness/talkers.ts'
import { password } from '../../sip-driver/phones.ts'
import { Machine } from './namespaces.ts'

const between = { south: '10.78.0.1', north: '10.78.0.2' }
/** The phones of north are in its own house. */
const house = { phone: '10.79.0.1', box: '10.79.0.2' }
const numberOfNorth = '+15550002000'
const link = { transport: 'udp', password: 'the-password-of-both-sites' }

const machine = await Machine.open()
machine.join('wan', `${between.north}/24`, `${between.south}/24`)
machine.join('house', `${house.box}/24`, `${house.phone}/24`)

const everywhere = (base: Record<string, unknown>): void => {
  const sip = base['sip'] as { udp: string }
  base['sip'] = { ...sip, udp: sip.udp.replace('127.0.0.1', '0.0.0.0') }
}
const south = await Scene.open(
  {
    settings: (base) => {
      everywhere(base)
      base['extensions'] = [
        { number: '101', name: 'Desk 101', password, class: 'national' },
        { number: '103', name: 'Nobody', password, onUnreachable: '201' },
      ]
      base['outbound'] = [{ to: '+1*', trunks: ['main'] }]
      base['emergency'] = { location: 'Riverside Clinic', callerId: '+15550001000' }
      base['inbound'] = [{ trunk: 'main', to: '*', destination: '103' }]
    },
  },
  false,
)
const north = await Daemon.create({
  app: 'http://127.0.0.1:9',
  trunkPort: 9,
  through: () => machine.through,
  settings: (base) => {
    everywhere(base)
    base['extensions'] = [{ number: '201', name: 'Desk 201', password }]
    base['sites'] = [{ id: 'south', server: `${between.south}:${south.daemon.sipPort}`, extensions: '1xx', ...link }]
  },
})
const sites = [{ id: 'north', server: `${between.north}:${north.sipPort}`, extensions: '2xx', number: numberOfNorth, ...link }]
appendFileSync(south.daemon.configFile, stringify({ sites }))
t.setTimeout(120_000)
t.teardown(async () => {
  await north.close()
  await south.close()
  machine.close()
})
await Promise.all([south.daemon.start(), north.start(false)])
const registrar = `${house.box}:${north.sipPort}`
const far = await Baresip.start({ registrar, user: '201', password, autoAnswer: true, voice: tone(1000, 60_000), address: house.phone })
t.teardown(() => far.close())
await far.until('REGISTER_OK')
const near = await desk(south, '101', true, south.daemon)

const called = () => south.trunk.requests.filter((line) => line.startsWith('INVITE')).map((line) => /sip:([^@]+)/.exec(line)?.[1])
let turn = 0
async function dials(number: string): Promise<void> {
  turn += 1
  await near.command('dial', number)
  await near.until('CALL_ESTABLISHED', 20_000, turn)
}
async function hangsUp(): Promise<void> {
  await near.command('hangup')
  await near.until('CALL_CLOSED', 8000, turn)
}

await t.test('while the link is up the sites call each other directly', async (t) => {
  await dials('201')
  await hears(near, 1000)
  await hangsUp()
  t.same(called(), [])
})

await t.test('with the link down a call goes to the number of the site, and a call for help goes out', async (t) => {
  machine.run('ip link set wan down')
  for (const [number, wanted] of [
    ['201', numberOfNorth],
    ['911', '911'],
  ] as const) {
    const outside = await south.expect('answer')
    await dials(number)
    t.equal(called().at(-1), wanted)
    await outside.rtp.sound()
    await hangsUp()
    await outside.sip.exit
  }
})

await t.test('a call that the other box sends by the telephone network, for the same reason, is not sent back there', async (t) => {
  const before = called().length
  const first = await south.call({ from: '+15551230009' })
  await eventually('a caller from outside is sent on', async () => called().length > before, 20_000)
  await first.close()
  const second = await south.call({ from: numberOfNorth })
  await south.daemon.traced(/from \*\*\*2000[^]*the site north cannot be reached/)
  await second.rtp.sound()
  t.same(called().slice(before), [numberOfNorth])
  await second.close()
})

await t.test('with the link up again they call each other directly', async (t) => {
  machine.run('ip link set wan up')
  const before = called().length
  await dials('201')
  await hears(near, 1000)
  await hangsUp()
  t.equal(called().length, before)
})
