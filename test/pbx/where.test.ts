/** Where a call would go: what is explained is what happens to the call that is then made. */
import t, { type Test } from 'tap'
import { Emergency } from '../../daemon/pbx/emergency/emergency.ts'
import { SettingsOfExtensions } from '../../daemon/pbx/extensions/settings.ts'
import { Hours } from '../../daemon/pbx/hours/hours.ts'
import { Overrides } from '../../daemon/pbx/hours/overrides.ts'
import { Where } from '../../daemon/pbx/where/where.ts'
import { Box } from '../routing/stage.ts'

const password = 'Pa55word-Pa55word'
/** A Monday. */
const ten = Date.parse('2026-11-23T10:00-05:00')
const more = {
  extensions: [
    { number: '101', password, class: 'national', onBusy: '102', onNoAnswer: 'group:front' },
    { number: '102', password, class: 'internal' },
    { number: '103', password, class: 'national' },
  ],
  ringGroups: [{ id: 'front', members: ['102', { extension: '103', delaySeconds: 10 }], onNoAnswer: 'voicemail:101' }],
  hours: [{ id: 'office', open: { 'mon-fri': ['08:30-17:00'] }, whenOpen: 'menu:main', whenClosed: 'voicemail:101' }],
  menus: [{ id: 'main', say: 'Press 1.', keys: { 1: '101' }, onNothing: 'group:front' }],
  inbound: [{ trunk: 'main', to: '+15550001000', destination: 'hours:office' }],
  outbound: [{ to: '+1*', trunks: ['main', 'other'] }],
}

async function house(t: Test) {
  const box = await Box.open(t, { channels: 5, more })
  box.clock.set(ten)
  await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
  const { trunks, destinations } = box.routing
  const settings = new SettingsOfExtensions(box)
  const overrides = new Overrides(box)
  const { codes } = box.house
  const help = new Emergency({ config: box.config, calls: box.calls, clock: box.clock, trunks, tell: () => undefined } as never)
  const where = new Where({
    ...box,
    trunks,
    codes,
    settings,
    help,
    hours: new Hours({ ...box, overrides, destinations }),
    lines: () => [],
  })
  const explained = (to: string, from = '', at = ten): string =>
    where
      .explain({ to, from, at })
      .map(({ depth, text }) => '  '.repeat(depth) + text)
      .join('\n')
  return { box, settings, explained }
}

t.test('through a trunk: the rule, the hours at that time, the menu, the group', async (t) => {
  const { explained } = await house(t)
  t.equal(
    explained('+15550001000'),
    [
      'a call to +15550001000 through the trunk main',
      '  hours office: open until Mon 23 Nov 17:00, on to menu:main',
      '    menu main',
      '      key 1: 101',
      '      no key, or no answer: group:front',
      '        group front (all), 20 s',
      '          extension 102 rings (not registered)',
      '          extension 103 rings, after 10 s (not registered)',
      '          nobody takes the call: voicemail:101',
      '            the mailbox 101 takes a message',
    ].join('\n'),
  )
  const night = explained('+15550001000', '', ten + 12 * 3_600_000)
  t.match(night, /hours office: closed until Tue 24 Nov 08:30, on to voicemail:101\n +the mailbox 101 takes a message/)
  t.match(explained('+15559990000'), /no inbound or outbound rule matches/)
})

t.test('from a phone: help before everything, codes, its class of service, trunks that are down', async (t) => {
  const { box, explained } = await house(t)
  t.match(explained('911', '102'), /911 is an emergency number: before every rule, through main, then other/)
  t.match(explained('*72101', '102'), /the feature code forwardAll with 101/)
  t.match(explained('+15551230000', '102'), /refused \(403\): The class of service internal does not permit/)
  t.match(explained('(555) 123-0000', '101'), /\+15551230000 through main, then other, class national/)
  box.driver.trunkOk = false
  t.match(explained('+15551230000', '101'), /through main \(down: .*\), then other/)
})

t.test('what people have set, and forwards in a circle', async (t) => {
  const { box, settings, explained } = await house(t)
  await settings.change('102', { doNotDisturb: true })
  t.match(explained('102', '101'), /extension 102: busy, do not disturb is on/)
  t.match(explained('+15550001000'), /extension 102 is skipped: do not disturb/)
  await settings.change('101', { forwardAll: '103' })
  t.match(explained('101', '102'), /extension 101, all calls: forwarded to 103 by its user\n +extension 103: its phones ring/)
  box.driver.call({ trunkId: '', extension: '102', from: '102', to: '101' })
  await box.quiet()
  t.same(
    box.driver.legs.map(({ request }) => request!.to),
    ['103'],
    'and so it happens',
  )
  await settings.change('103', { forwardAll: '101' })
  t.match(
    explained('101', '102'),
    /extension 103, all calls: not forwarded to 101: The call has already been there\.\n +extension 103: its phones ring/,
  )
  await settings.change('101', { forwardAll: null })
  t.match(explained('101', '103'), /busy: 102/)
})
