/** Hours opened and closed by hand: what holds until when, what is reported, and what the desk shows. */
import t, { type Test } from 'tap'
import { HoursDesk } from '../../daemon/pbx/hours/desk.ts'
import { Hours } from '../../daemon/pbx/hours/hours.ts'
import { Overrides } from '../../daemon/pbx/hours/overrides.ts'
import { Box } from '../routing/stage.ts'

const office = { id: 'office', open: { 'mon-fri': ['08:30-17:00'] }, whenOpen: '101', whenClosed: 'hangup' }
/** A Monday. */
const ten = Date.parse('2026-11-23T10:00-05:00')
const at = (time: string): string => new Date(time).toISOString()

async function house(t: Test) {
  const box = await Box.open(t, { channels: 2, more: { hours: [office], inbound: [{ trunk: '*', to: '*', destination: 'hours:office' }] } })
  box.clock.set(ten)
  await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
  const overrides = new Overrides(box)
  t.teardown(() => overrides.stop())
  const hours = new Hours({ ...box, overrides, destinations: box.routing.destinations })
  const desk = new HoursDesk({ ...box, hours, overrides, write: async () => undefined })
  const told: string[] = []
  overrides.onChange((id) => told.push(`${id} ${hours.stateAt(id, box.clock.now())!.open}`))
  const change = async (state: 'open' | 'closed' | 'auto', until?: string) => {
    let recorded = 0
    const view = await desk.change('office', { state, ...(until === undefined ? {} : { until }) }, () => void (recorded += 1))
    t.equal(recorded, 1)
    return view
  }
  return { box, overrides, desk, told, change }
}

t.test('closed by hand: calls go there at once, until the calendar decides again', async (t) => {
  const { box, change, told } = await house(t)
  t.match(await change('closed', '14:00'), {
    open: false,
    override: 'closed',
    until: at('2026-11-23T14:00-05:00'),
    overrideUntil: at('2026-11-23T14:00-05:00'),
  })
  const leg = box.driver.call()
  const call = box.calls.live().at(-1)!
  await box.quiet()
  t.equal(leg.rejected, 603)
  t.ok(call.trace.entries().some(({ text }) => text === 'hours office: closed by hand until Mon 23 Nov 14:00, on to hangup'))
  box.clock.advance(4 * 3_600_000)
  t.same(told, ['office false', 'office true'], 'its end is told, too')
  box.driver.call()
  await box.quiet()
  t.match(box.driver.legs.at(-1)?.request, { to: '101' })
})

t.test('what is shown: the end of what was set, or later where the calendar says the same', async (t) => {
  const { desk, change } = await house(t)
  t.match(desk.list(), [{ open: true, until: at('2026-11-23T17:00-05:00'), override: null, overrideUntil: null }])
  t.match(await change('open', '16:00'), { open: true, until: at('2026-11-23T17:00-05:00'), overrideUntil: at('2026-11-23T16:00-05:00') })
  t.match(await change('closed'), { open: false, until: null, override: 'closed', overrideUntil: null })
  t.match(await change('closed', '2026-12-24T18:00'), { overrideUntil: at('2026-12-24T18:00-05:00') })
  t.match(await change('closed', '09:00'), { overrideUntil: at('2026-11-24T09:00-05:00') }, 'tomorrow')
  t.match(await change('auto'), { open: true, override: null })
  for (const until of ['25:99', 'soon', '2026-01-01T10:00'])
    await t.rejects(
      desk.change('office', { state: 'open', until }, () => undefined),
      { code: 'validation_failed' },
      until,
    )
  await t.rejects(
    desk.change('lunch', { state: 'open' }, () => undefined),
    { code: 'not_found' },
  )
})

t.test('a restart: it holds, and its end is told', async (t) => {
  const { box, change } = await house(t)
  await change('closed', '14:00')
  const again = new Overrides(box)
  const told: string[] = []
  again.onChange((id) => told.push(id))
  again.start()
  t.teardown(() => again.stop())
  t.match(again.at('office', box.clock.now()), { state: 'closed' })
  box.clock.advance(4 * 3_600_000)
  t.same(told, ['office'])
  t.equal(again.at('office', box.clock.now()), null)
})
