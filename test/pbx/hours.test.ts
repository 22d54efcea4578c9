/** Calls that come in by the hours of the house: what is open takes them, on a clock that a test sets. */
import t, { type Test } from 'tap'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import { parseConfig, ConfigError } from '../../daemon/config/load.ts'
import { Box } from '../routing/stage.ts'

const office = {
  id: 'office',
  open: { 'mon-fri': ['08:30-12:30', '13:30-17:00'], sat: ['22:00-02:30'] },
  closedOn: ['2026-12-24/2026-12-26'],
  whenOpen: '101',
  whenClosed: 'hangup',
}

async function openBox(t: Test, hours: readonly object[], destination = 'hours:office'): Promise<Box> {
  const box = await Box.open(t, { channels: 2, more: { hours, inbound: [{ trunk: '*', to: '*', destination }] } })
  await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
  return box
}

/** Where a call ends that comes in now: the extension that rings, or the status that it is answered with. */
async function lands(box: Box): Promise<{ to: string | number; said: string[] }> {
  const leg = box.driver.call()
  const call = box.calls.live().at(-1)!
  await box.quiet()
  const phone = box.driver.legs.find(({ over, request }) => !over && request?.via.kind === 'extension')
  const said = call.trace.entries().map(({ text }) => text)
  const to = phone?.request?.to ?? leg.rejected ?? ''
  phone?.end({ by: 'remote', reason: 'rejected', sipCode: 486 })
  await box.quiet()
  return { to, said }
}

t.test('open, closed for lunch, closed for the holidays; the trace says until when', async (t) => {
  const box = await openBox(t, [office])
  for (const [time, to, said] of [
    ['2026-11-23T10:00-05:00', '101', 'hours office: open until Mon 23 Nov 12:30, on to 101'],
    ['2026-11-23T13:00-05:00', 603, 'hours office: closed until Mon 23 Nov 13:30, on to hangup'],
    ['2026-12-24T10:00-05:00', 603, 'hours office: closed until Mon 28 Dec 08:30, on to hangup'],
  ] as const) {
    box.clock.set(Date.parse(time))
    const landed = await lands(box)
    t.equal(landed.to, to, time)
    t.ok(landed.said.includes(said), landed.said.join('\n'))
  }
})

t.test('both nights in which the clock is changed', async (t) => {
  const box = await openBox(t, [office])
  for (const [time, to] of [
    // Put forward at 02:00: half past two does not come, three o'clock does.
    ['2026-03-08T06:59:59Z', '101'],
    ['2026-03-08T07:00:00Z', 603],
    // Put back at 02:00: until the clock shows half past two.
    ['2026-11-01T05:59:59Z', '101'],
    ['2026-11-01T06:00:00Z', '101'],
    ['2026-11-01T07:29:59Z', '101'],
    ['2026-11-01T07:30:00Z', 603],
  ] as const) {
    box.clock.set(Date.parse(time))
    t.equal((await lands(box)).to, to, time)
  }
})

t.test('a call that is sent on in circles is cut after ten times, and says so', async (t) => {
  // Both are never open at once: nothing is wrong with the file, until the clock is between two times.
  const half = { open: { 'mon-sun': ['00:00-12:00'] }, closedOn: [], whenOpen: 'hours:b', whenClosed: '101' }
  const box = await openBox(t, [
    { ...half, id: 'office' },
    { ...half, id: 'b', whenOpen: '101', whenClosed: 'hours:office' },
  ])
  box.clock.set(Date.parse('2026-11-23T15:00-05:00'))
  t.equal((await lands(box)).to, '101')
  box.clock.set(Date.parse('2026-11-23T10:00-05:00'))
  t.equal((await lands(box)).to, '101')
  const real = box.clock.now()
  let asked = 0
  // A clock that is in the other half at each step; the trace and the history look at it as well.
  box.clock.now = () => real + (asked++ % 6 < 3 ? 0 : 5 * 3_600_000)
  const call = box.calls.add(newCallRow(real, 'inbound'))
  asked = 0
  const taken = await box.routing.destinations.send(call, 'hours:office', { signal: call.over })
  t.match(taken, { outcome: 'failed', text: /^forwarded 10 times: hours:office -> hours:b -> hours:office/ })
  t.equal(call.trace.entries().filter(({ text }) => text.startsWith('hours ')).length, 11)
})

t.test('what is wrong with hours is told at its place', async (t) => {
  const faults = (text: string): string => {
    try {
      parseConfig(text, '/srv/pbx/pbxd.yaml')
      return ''
    } catch (error) {
      return (error as ConfigError).faults.map(({ path, text: said }) => `${path} ${said}`).join('\n')
    }
  }
  const hours = (more: string): string => `hours: [ { id: office, whenOpen: hangup, whenClosed: hangup, ${more} } ]\n`
  for (const [text, expected] of [
    [hours('open: { mo-fr: [] }'), /^\/hours\/0\/open\/mo-fr "mo-fr" is not a day; write mon, tue/],
    [hours('open: { mon-fri: ["8:30-12:30"] }'), /^\/hours\/0\/open\/mon-fri\/0 "8:30-12:30" is not a time .*write 08:30-12:30/],
    [hours('open: { mon: ["08:00-08:00"] }'), /write 08:30-12:30, 22:00-06:00 or 00:00-24:00$/],
    [hours('open: { mon-fri: [], wed: [] }'), /^\/hours\/0\/open\/wed wed is already in mon-fri; give each day once$/],
    [hours('open: { sat-mon: [], sun: [] }'), /sun is already in sat-mon/],
    [hours('closedOn: ["2026-02-30"]'), /^\/hours\/0\/closedOn\/0 "2026-02-30" is not a valid date/],
    [hours('closedOn: [2026-12-26/2026-12-24]'), /is not a valid date/],
    [hours('special: { "2026-02-30": [] }'), /^\/hours\/0\/special\/2026-02-30 "2026-02-30" is not a valid date; write "2026-12-24"/],
    [hours('special: { fri: ["08:30-12:00"] }'), /"fri" is not a valid date/],
    [hours('special: { 2026-12-24: ["8:30-12:00"] }'), /^\/hours\/0\/special\/2026-12-24\/0 "8:30-12:00" is not a time/],
    [
      hours('special: { "2026-12-24/2026-12-26": [], "2026-12-25": ["08:30-12:00"] }'),
      /special\/2026-12-25 it overlaps with 2026-12-24\/2026-12-26; give each date once$/,
    ],
    [hours('closedOn: [2026-12-24], special: { 2026-12-24: ["08:30-12:00"], 2026-12-25: [] }'), /^$/],
    [hours('open: { mon: "08:00-09:00" }'), /^\/hours\/0\/open\/mon this must be a list/],
    [hours('opne: {}'), /did you mean "open"/],
    [
      'hours: [ { id: a, whenOpen: "hours:b", whenClosed: "102" } ]\n',
      /whenOpen there are no hours "b"; known are a[\s\S]*no extension "102"/,
    ],
    ['inbound: [ { destination: "hours:a" } ]\n', /there are no hours "a"; none is configured/],
    [hours('open: { mon-fri: ["08:30-12:30"], sat-sun: ["22:00-06:00"] }, closedOn: [2026-12-25, 2026-12-24/2026-12-26]'), /^$/],
  ] as const)
    t.match(faults(text), expected, text)
})
