/** How calls of modems are reported to the queue, and which line a fax takes; the modem stands in. */
import t from 'tap'
import { parseConfig } from '../../daemon/config/load.ts'
import { Calls } from '../../daemon/calls/calls.ts'
import { routeInbound } from '../../daemon/routing/dial-plan.ts'
import { CombinedLines, ModemFaxLines, outcomeOf, lineDigits } from '../../daemon/fax/modem-line.ts'
import { judge } from '../../daemon/fax/outcome.ts'
import { nationalDigits } from '../../daemon/numbers/numbers.ts'
import type { FaxDialResult, FaxLine, FaxLineHandlers, FaxLineResult, FaxLineState } from '../../drivers/fax.ts'
import { Stage } from './stage.ts'
import { anyFax } from '../harness/fax-send.ts'

const result: FaxLineResult = {
  phase: 'negotiating',
  pages: 0,
  bitRate: 0,
  ecm: false,
  resolution: 'fine',
  transport: 'modem',
  remoteId: '',
  code: 49,
  text: 'why',
  badRows: 0,
  unconfirmedLastPage: false,
  dial: 'connected',
  heardFax: false,
}

t.test('every end of a call has its class', async (t) => {
  const classes: readonly (readonly [FaxDialResult, boolean, string])[] = [
    ['busy', false, 'busy'],
    ['no-answer', false, 'no-answer'],
    ['no-dialtone', false, 'line'],
    ['glare', false, 'line'],
    ['delayed', false, 'line'],
    ['blacklisted', false, 'line'],
    ['modem-fault', false, 'line'],
    ['modem-fault', true, 'protocol'],
    ['not-a-fax', false, 'not-a-fax'],
    ['no-carrier', false, 'not-a-fax'],
    ['connected', true, 'protocol'],
    ['canceled', true, 'interrupted'],
  ]
  for (const [dial, heardFax, expected] of classes) {
    t.equal(judge(outcomeOf({ ...result, dial, heardFax }, 3)).class, expected, `${dial}, ${heardFax ? 'a fax was heard' : 'none'}`)
  }
  t.equal(judge(outcomeOf({ ...result, code: 0, heardFax: true }, 3)).class, 'sent')
})

t.test('numbers are dialled as people at the place dial them', async (t) => {
  t.equal(nationalDigits('+15551230001', 'US'), '15551230001')
  t.equal(nationalDigits('+4930123456', 'DE'), '030123456')
  t.equal(nationalDigits('+4930123456', 'US'), '0114930123456')
  t.equal(nationalDigits('*98', 'US'), '*98')
})

t.test('a line may have a dial plan of its own', async (t) => {
  const dialled = (dial: object, number: string, country = 'US'): string =>
    lineDigits(number, country, { prefix: '', pulse: false, ...dial })
  const office = { prefix: '9,', national: '1', localArea: '212, 646' }
  t.equal(dialled(office, '+15550001999'), '9,15550001999')
  t.equal(dialled(office, '+12125550100'), '9,2125550100', 'a local number has no 1')
  t.equal(dialled(office, '+16465550100'), '9,6465550100')
  t.equal(dialled(office, '+442079460000'), '9,011442079460000')
  t.equal(dialled(office, '411'), '9,411')
  t.equal(dialled({ national: 'none' }, '+15550001999'), '5550001999')
  t.equal(dialled({ national: 'none' }, '+442079460000'), '011442079460000')
  t.equal(dialled({}, '+15550001999'), '15550001999')
  t.equal(dialled({ prefix: '0W' }, '+4930123456', 'DE'), '0W030123456')
  t.equal(dialled({ prefix: '9,', pulse: true }, '+15550001999'), 'P9,15550001999')
  const lines = (dial: string) => parseConfig(`lines: [ { id: line1, device: /dev/a, dial: ${dial} } ]`, '/srv/p.yaml').config.lines
  t.match(lines('{ prefix: "9,", national: "1", localArea: "212" }'), [{ dial: { prefix: '9,', national: '1', localArea: '212' } }])
  t.throws(() => lines('{ prefix: "9;" }'), /dial\/prefix/)
})

class StandInModem implements FaxLine {
  readonly id: string
  readonly number = '+15550001998'
  state: FaxLineState = 'ready'
  statusChanged: FaxLine['statusChanged'] = null
  onRing: FaxLine['onRing'] = null
  dialled = ''
  stopped = 0
  handlers: FaxLineHandlers | null = null

  constructor(id: string) {
    this.id = id
  }
  status(): ReturnType<FaxLine['status']> {
    return { state: this.state, text: '', model: '', faxClass: '1', modems: [], since: 0 }
  }
  sendFax(to: string, _request: unknown, handlers: FaxLineHandlers): { stop(): void } {
    this.dialled = to
    this.state = 'dialing'
    this.handlers = handlers
    return { stop: () => void (this.stopped += 1) }
  }
  start(): void {}
  async stop(): Promise<void> {}
}

t.test('a modem is taken once, before the trunks, and again when it is ready', async (t) => {
  const stage = await Stage.open(t)
  const { config, clock, calls } = stage
  const modem = new StandInModem('line1')
  const trunk = { id: 'main', from: '', place: () => t.fail('not this one') as never, release: () => undefined }
  const trunks = { configured: () => true, number: () => '', conditions: () => [], reserve: () => trunk }
  const lines = new CombinedLines([new ModemFaxLines({ config, calls, clock, modems: [modem] }), trunks])
  const none = new Set<string>()
  t.equal(lines.number(), '+15550001998')
  t.equal(lines.reserve('+15551230001', new Set(['line1']))?.id, 'main', 'a line that rests is left out')
  const line = lines.reserve('+15551230001', none)
  t.equal(line?.id, 'line1')
  t.equal(lines.reserve('+15551230001', none)?.id, 'main')
  line!.release()
  const again = lines.reserve('+15551230001', none)!
  const pages: number[] = []
  const call = again.place({ faxId: 'f', to: '+15551230001', token: '', send: anyFax }, (progress) => void pages.push(progress.pages))
  t.equal(modem.dialled, '15551230001')
  t.equal(lines.reserve('+15551230001', none)?.id, 'main')
  modem.handlers!.progress({ ...result, phase: 'confirmed', pages: 1 })
  t.equal(calls.get(call.callId)?.answered, true, 'seen among the calls')
  call.stop()
  t.equal(modem.stopped, 1)
  modem.state = 'resetting'
  modem.handlers!.ended({ ...result, dial: 'canceled', heardFax: true, pages: 1 })
  t.match(await call.ended, { kind: 'interrupted', progress: { pages: 1 } })
  t.same(pages, [1])
  t.equal(lines.reserve('+15551230001', none)?.id, 'main', 'it is set up anew')
  modem.state = 'ready'
  t.equal(lines.reserve('+15551230001', none)?.id, 'line1')
  await stage.until(() => stage.store.tables.calls.get(call.callId)?.endReason === 'canceled', 'the row of the call')
  t.ok(calls instanceof Calls)
  modem.state = 'unplugged'
  t.match(lines.conditions(), [{ id: 'line1', ok: false, reason: 'unplugged' }])
})

t.test('calls on a line are faxes; a rule leaves them to others', async (t) => {
  const file = (inbound: readonly object[]) =>
    parseConfig(JSON.stringify({ lines: [{ id: 'line1', device: '/dev/pbx-modem0' }], inbound }), '/srv/pbx/pbxd.yaml').config
  const call = { trunkId: 'line1', extension: '', to: [''] }
  t.match(routeInbound(file([]), call), { destination: { kind: 'fax' } })
  t.match(routeInbound(file([{ trunk: '*', destination: 'hangup' }]), call), { destination: { kind: 'fax' } }, 'it is no trunk')
  t.match(routeInbound(file([{ trunk: 'line1', destination: 'hangup' }]), call), { destination: { kind: 'hangup' } })
})
