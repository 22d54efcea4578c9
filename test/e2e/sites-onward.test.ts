/** Two sites, each with a box of its own: what one sends on by the other. Real daemons, real phones. */
import { createSocket } from 'node:dgram'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { stringify } from 'yaml'
import { tone, writeWav } from '../harness/audio.ts'
import { Daemon } from '../harness/daemon.ts'
import { hears } from '../harness/ears.ts'
import { Scene, eventually } from '../harness/scene.ts'
import { desk, musicHz } from '../harness/talkers.ts'
import { Trunk } from '../harness/trunk.ts'
import { password } from '../sip-driver/phones.ts'

/** A provider that refuses each call, as one without free lines does. */
const full = createSocket('udp4')
const refused: string[] = []
await new Promise<void>((done) => full.bind(0, '127.0.0.1', done))
full.on('message', (data, from) => {
  const text = data.toString('latin1')
  const [method = ''] = text.split(' ')
  if (method === 'ACK' || method.startsWith('SIP/')) return
  if (method === 'INVITE') refused.push(text)
  const kept = text.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq)\s*:/i.test(line))
  const lines = kept.map((line) => (/^To:/i.test(line) ? `${line};tag=full` : line))
  const status = method === 'INVITE' ? '503 Service Unavailable' : '200 OK'
  full.send([`SIP/2.0 ${status}`, ...lines, 'Content-Length: 0', '', ''].join('\r\n'), from.port, from.address)
})

const south = await Scene.open(
  {
    trunkPort: full.address().port,
    settings: (base) => {
      base['extensions'] = [
        ...['101', '102'].map((number) => ({ number, name: `Desk ${number}`, password, class: 'national' })),
        { number: '103', name: 'Nobody', password, onUnreachable: '203' },
      ]
      base['outbound'] = [{ to: '+1*', trunks: ['main', 'site:north'] }]
      base['inbound'] = [{ trunk: 'main', to: '*', destination: '101' }]
    },
  },
  false,
)
const outside = await Trunk.open()
const link = { transport: 'udp', password: 'the-password-of-both-sites' }
const north = await Daemon.create({
  app: south.app.url,
  trunkPort: outside.port,
  settings: (base) => {
    writeFileSync(join(String((base['storage'] as { dir: string }).dir), '..', 'music.wav'), writeWav(tone(musicHz, 1000)))
    base['site'] = { ...(base['site'] as object), number: '+15550009000', music: ['music.wav'] }
    base['extensions'] = [
      { number: '201', name: 'Desk 201', password },
      { number: '203', name: 'Nobody there', password, onUnreachable: '103' },
    ]
    base['parking'] = { number: '250', firstSlot: 251, slots: 9 }
    base['outbound'] = [{ to: '+1*', trunks: ['main', 'site:south'] }]
    base['sites'] = [{ id: 'south', server: `127.0.0.1:${south.daemon.sipPort}`, extensions: '1xx', class: 'local', ...link }]
  },
})
const owner = { directory: true, api: north.http, token: north.token }
const sites = [{ id: 'north', server: `127.0.0.1:${north.sipPort}`, extensions: '2xx', ...owner, ...link }]
appendFileSync(south.daemon.configFile, stringify({ sites }))
await Promise.all([south.daemon.start(), north.start()])
t.setTimeout(120_000)
t.teardown(async () => {
  await north.close()
  outside.close()
  await south.close()
  full.close()
})
t.afterEach(() => south.sweep())

const calls = async (daemon: Daemon) => (await daemon.api('GET', '/api/voice/calls?limit=20')).body.items
const outsideNumbers = () => outside.requests.filter((line) => line.startsWith('INVITE')).map((line) => /sip:([^@]+)/.exec(line)?.[1])

t.test('a call outside whose own trunks refuse goes by the line of the other site, as far as the class there permits', async (t) => {
  const first = await desk(south, '101')
  const answering = south.keep(await outside.expect('answer'))
  await first.command('dial', '+15551230001')
  await first.until('CALL_ESTABLISHED')
  await answering.rtp.sound()
  t.equal(refused.length > 0, true, 'the own line was asked before')
  t.match(outside.invites.at(-1), /^INVITE sip:\+15551230001@[^]*From:[^\r]*\+15550001000/, 'with the number of the line that dials')
  await first.command('hangup')
  await answering.sip.exit

  const before = outsideNumbers().length
  await first.command('dial', '+12125550100')
  t.match((await first.until('CALL_CLOSED', 8000, 2)).param, /^403/, 'a number of another area is more than local')
  t.equal(outsideNumbers().length, before)
})

t.test(
  'phones of two sites that forward to each other: the second time at a number is refused with 482, and nothing goes on',
  async (t) => {
    const first = await desk(south, '101')
    await first.command('dial', '103')
    t.match((await first.until('CALL_CLOSED')).param, /^482/)
    const seen = [...(await calls(south.daemon)), ...(await calls(north))].filter(({ to }) => to === '103' || to === '203')
    t.same(seen.map(({ to, sipCode }) => [to, sipCode]).sort(), [
      ['103', 482],
      ['103', 482],
      ['203', 482],
    ])
    await eventually('nobody is being called any more', async () =>
      [...(await calls(south.daemon)), ...(await calls(north))].every(({ endedAt }) => endedAt !== null),
    )
  },
)

t.test('a caller of the other site parks, hears where, and another one takes the call from there', async (t) => {
  const [first, second] = await Promise.all([desk(south, '101'), desk(south, '102')])
  await second.command('dial', '250')
  await second.until('CALL_ESTABLISHED')
  const parked = async () => (await north.api('GET', '/api/parking')).body.find(({ call }: { call: unknown }) => call !== null)
  await eventually('the call is parked', async () => (await parked()) !== undefined)
  await hears(second, musicHz)
  t.match(await parked(), { slot: '251', call: { from: '102', callerName: 'Desk 102' } })
  await first.command('dial', '251')
  await first.until('CALL_ESTABLISHED', 15_000)
  await Promise.all([hears(first, 700), hears(second, 400)])
  await first.command('hangup')
  await second.until('CALL_CLOSED')
})

t.test('who calls is what the owner of the directory says; what this box knows, where that one is away', async (t) => {
  const party = (id: string, name: string) => ({
    ...{ id, kind: 'person', name, status: 'active', version: '1', updatedAt: '2026-03-01T00:00:00Z', source: 'import' },
    phones: [{ number: '+15551230007', label: 'mobile', primary: true }],
  })
  for (const [daemon, customer] of [
    [south.daemon, party('s1', 'A. Ruiz of long ago')],
    [north, party('n1', 'Ana Ruiz')],
  ] as const)
    t.match(await daemon.api('POST', '/api/pbx/import/pbx-export', { mode: 'merge', dryRun: false, customers: [customer] }), {
      status: 200,
    })
  await desk(south, '101')
  const named = async (): Promise<string> => {
    const caller = await south.call({ from: '+15551230007' })
    await caller.rtp.sound()
    await caller.hangup()
    await caller.sip.exit
    return (await calls(south.daemon))[0].callerName
  }
  t.equal(await named(), 'Ana Ruiz')
  await north.stop()
  t.equal(await named(), 'A. Ruiz of long ago')
})
