/** `pbx sms` against the control socket of a box with a scripted trunk, and what `pbx config check` says of trunks. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'
import { smsRoutes } from '../../daemon/messaging/routes.ts'
import { startSocket } from '../../daemon/http/socket.ts'
import { eraseText } from '../../daemon/messaging/part.ts'
import { pbxOn } from '../harness/pbx.ts'
import { refused } from './scripted-trunk.ts'
import { log, patient, Stage } from './stage.ts'

async function box(t: Test): Promise<{ stage: Stage; pbx: ReturnType<typeof pbxOn> }> {
  const stage = await Stage.open(t)
  const socket = join(stage.dir, 'pbxd.sock')
  const routes = smsRoutes(stage.messaging, eraseText(stage.store, stage.messaging.queue))
  const control = await startSocket({ socket, routes, log })
  t.teardown(() => control.close())
  const pbx = pbxOn(socket, 'sms')
  return { stage, pbx }
}

t.test('pbx sms send, list, show, trunks', async (t) => {
  const { stage, pbx } = await box(t)
  stage.trunk.answers = stage.trunk.takesAll
  t.match(await pbx('list'), { code: 0, out: 'none\n' })
  t.match(await pbx('send', '555-123-0001', 'nobody', '--text', 'Hello'), {
    code: 0,
    out: /\+15551230001: sent, 1 part GSM-7 {2}[0-9a-f-]{36}\nnobody: failed: A number consists of digits/,
  })
  stage.trunk.answers = () => refused('number_unknown', 'There is no such number.')
  t.match(await pbx('send', patient, '--text', 'Hello'), { code: 1, out: /failed, 1 part GSM-7: There is no such number\./ })
  t.match(await pbx('send', 'nobody', '--text', 'Hello'), { code: 1, error: /A number consists of digits/ })
  t.match(await pbx('send', patient), { code: 2 })
  t.match(await pbx('list'), { out: /failed +1 +gsm1 +1 .*There is no such number\.[^]*sent +1 +gsm1 +1/ })
  const listed = JSON.parse((await pbx('list', '--json', '--state', 'sent')).out) as { messageId: string }[]
  t.equal(listed.length, 1)
  t.match(await pbx('show', listed[0]!.messageId), {
    code: 0,
    out: /sent\nto +\+15551230001[^]*1 GSM-7: accepted by the network[^]*text +Hello\n$/,
  })
  t.match(await pbx('show', 'last', '--json'), { out: /"code": ?"number_unknown"/ })
  t.match(await pbx('show', 'ffffffff'), { code: 1, error: /There is no text ffffffff/ })
  t.match(await pbx('trunks'), { out: /gsm1 \(default\) +sim +\+15550002000 +ready .*signal -71/ })
})

t.test('pbx sms stop-list', async (t) => {
  const { stage, pbx } = await box(t)
  t.match(await pbx('stop-list', 'list'), { code: 0, out: 'none\n' })
  t.match(await pbx('stop-list', 'add', '(555) 123-0001'), { code: 0, out: '+15551230001 gets no more texts\n' })
  t.match(JSON.parse((await pbx('stop-list', 'list', '--json')).out), [{ number: patient, by: 'command' }])
  t.match(await pbx('send', patient, '--text', 'Hello'), { code: 1, out: /has opted out of texts/ })
  t.match(await pbx('stop-list', 'remove', '555 123 0001'), { code: 0, out: '555 123 0001 may get texts again\n' })
  t.match(await pbx('stop-list', 'remove', patient), { code: 1, error: /is not on the list/ })
  t.match(await pbx('stop-list', 'add', 'nobody'), { code: 1 })
  t.notOk(stage.messaging.suppression.has(patient))
})

t.test('faults of the trunks in the configuration', async (t) => {
  const faults = (trunks: string, rest = ''): string[] => {
    try {
      return parseConfig(`sms: { trunks: [${trunks}] }\n${rest}`, '/srv/pbx/pbxd.yaml').warnings.map(
        ({ path, text }) => `warning ${path}: ${text}`,
      )
    } catch (error) {
      return (error as ConfigError).faults.map(({ path, text }) => `${path}: ${text}`)
    }
  }
  const sip = 'trunks: [{ id: main, server: sip.example.com, transport: tcp, register: false }]'
  t.same(faults('{ id: a, kind: sim, default: true }, { id: b, kind: modem, device: /dev/pbx-gsm0, number: "+15550002000" }'), [])
  t.same(faults('{ id: a, kind: sip, trunk: main }', sip), [])
  const table: [trunks: string, fault: RegExp, rest?: string][] = [
    ['{ id: a, kind: sim }, { id: a, kind: sim }', /\/sms\/trunks\/1\/id: "a" is given twice/],
    [
      '{ id: a, kind: sim, default: true }, { id: b, kind: sim, default: true }',
      /only one trunk can be the default, and "a" is already the default/,
    ],
    ['{ id: a, kind: sip, trunk: mian }', /there is no SIP trunk "mian"; did you mean "main"\?/, sip],
    ['{ id: a, kind: sip, trunk: main }', /there is no SIP trunk "main"; none is configured/],
    ['{ id: a, kind: sim, number: "+1555" }', /"\+1555" is not a telephone number/],
    ['{ id: a, kind: modem, device: /dev/a }, { id: b, kind: modem, device: /dev/a }', /device: "\/dev\/a" is given twice/],
    ['{ id: a, kind: modem, device: /dev/ttyUSB2 }', /warning .*\/dev\/serial\/by-id/],
    ['{ id: a, kind: pigeon }', /pigeon|kind/],
  ]
  for (const [trunks, fault, rest] of table) {
    const found = faults(trunks, rest)
    t.equal(found.length, 1, `${trunks}: ${found.join(' | ')}`)
    t.match(found[0], fault)
  }
})
