/** What those who look at the box see of its texts: health, warnings, figures; and a text through the simulated modem. */
import t from 'tap'
import { systemClock } from '../../daemon/base/clock.ts'
import { policiesOf } from '../../daemon/outbox/policies.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { Health } from '../../daemon/base/health.ts'
import { Metrics } from '../../daemon/base/metrics.ts'
import { createAssembly } from '../../daemon/assembly.ts'
import { smsPart } from '../../daemon/messaging/part.ts'
import { ScriptedTrunk } from './scripted-trunk.ts'
import { ptyProgram } from '../gsm/rig.ts'
import { log, patient, Stage } from './stage.ts'

const nobody = undefined as never
const notices = { add: () => undefined }

t.test('a trunk that is down is a fault that is told, and not the end of the box', async (t) => {
  const trunks = [new ScriptedTrunk('gsm1'), new ScriptedTrunk('spare')]
  const stage = await Stage.open(t, {}, trunks)
  const { store, inbox, clock } = stage
  const { config } = parseConfig('sms: { trunks: [{ id: gsm1, kind: sim }, { id: spare, kind: sim }] }', '/srv/pbx/pbxd.yaml')
  const texts = await smsPart(
    { config, store, clock, log, policies: policiesOf(config), programs: { pty: '' } },
    { inbox, trunks, driver: nobody, notices },
  )
  const health = new Health()
  const metrics = new Metrics()
  const { refresh, start } = createAssembly({ health, metrics, clock, log })
  await start([{ ...texts, start: () => undefined }])
  const part = () => health.report().parts.find(({ name }) => name === 'sms')
  refresh()
  t.match([part(), health.warnings()], [{ ok: true, reason: '', detail: 'sends through gsm1, spare' }, []])
  trunks[0]!.ok = false
  refresh()
  t.match(part(), {
    ok: false,
    required: false,
    reason: 'a trunk for texts is down',
    detail: 'sends through spare; gsm1: there is no such device',
  })
  t.match(health.warnings(), [{ code: 'sms-gsm1', text: 'Text trunk gsm1: there is no such device', fix: 'pbx sms trunks' }])
  trunks[1]!.ok = false
  t.match(part(), { reason: 'no trunk can send texts', detail: /^cannot send; / })
  trunks[0]!.ok = true
  refresh()
  t.match(
    health.warnings().map(({ code }) => code),
    ['sms-spare'],
  )

  const { content } = await metrics.text()
  for (const line of ['pbx_sms_waiting{state="queued"} 0', 'pbx_sms_ended_total{state="unknown"} 0', 'pbx_sms_trunk_up{trunk="spare"} 0']) {
    t.ok(content.includes(line), line)
  }
})

t.test('a box without trunks has no part for texts', async (t) => {
  const stage = await Stage.open(t, {}, [])
  const { store, inbox, clock } = stage
  const { config } = parseConfig('{}', '/srv/pbx/pbxd.yaml')
  const texts = await smsPart(
    { config, store, clock, log, policies: policiesOf(config), programs: { pty: '' } },
    { inbox, driver: nobody, notices },
  )
  t.equal(texts.health, undefined)
  t.notOk(texts.messaging.hasTrunk())
  t.match(await texts.messaging.sendText({ to: patient, body: 'x' }), { code: 'no_sms_trunk' })
})

t.test('a text goes through the simulated modem, in parts, and its reports come back', async (t) => {
  const stage = await Stage.open(t, {}, [])
  const { store, inbox } = stage
  const { config } = parseConfig('sms: { trunks: [{ id: gsm1, kind: sim, number: "+15550002000" }] }', '/srv/pbx/pbxd.yaml')
  const texts = await smsPart(
    { config, store, clock: systemClock, log, policies: policiesOf(config), programs: { pty: ptyProgram } },
    { inbox, driver: nobody, notices },
  )
  t.teardown(() => texts.messaging.stop())
  texts.messaging.start()
  const send = async (to: string, body: string) => ((await texts.messaging.sendText({ to, body })) as { messageId: string }).messageId
  const long = `${'a'.repeat(200)} €`
  const plain = await send('+15551230020', long)
  const echoed = await send('+15551230000', long)
  await stage.until(() => stage.row(plain).state === 'delivered' && stage.row(echoed).state === 'delivered', 'the reports')
  t.match(stage.row(plain), { reports: ['delivered', 'delivered'], attempts: 1, trunkId: 'gsm1', from: '+15550002000' })
  t.match(texts.messaging.trunks(), [{ id: 'gsm1', ok: true, default: true }])
  await stage.until(() => stage.items().length === 1, 'the echo')
  t.match(stage.items(), [{ from: '+15551230000', to: '+15550002000', body: long, segments: 2, encoding: 'GSM-7', trunkId: 'gsm1' }])
})
