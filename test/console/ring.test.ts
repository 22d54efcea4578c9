/** A call that rings at the own phone: said on every page, in the titles, and once a browser by a notice of the system. */
import t from 'tap'
import { Baresip } from '../harness/baresip.ts'
import { standStill, violations } from '../harness/browser.ts'
import { ConsoleBox } from '../harness/console.ts'
import { call } from '../harness/sipp.ts'
import { Trunk } from '../harness/trunk.ts'
import { eventually, patience } from '../harness/waiting.ts'

t.setTimeout(120_000)
const password = 'a-long-password'
const trunk = await Trunk.open()
const box = await ConsoleBox.open(t, {
  trunkPort: trunk.port,
  settings: (base) => {
    base['extensions'] = [{ number: '101', name: 'Desk 101', password }]
    base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: '101' }]
  },
})
const phone = await Baresip.start({ registrar: `127.0.0.1:${box.daemon.sipPort}`, user: '101', password })
t.teardown(async () => {
  await phone.close()
  trunk.close()
})
await phone.until('REGISTER_OK')
const maria = await box.person({ login: 'maria', name: 'Maria Lopez', roles: ['desk'], extension: '101' })

/** Until what rings no more is gone. */
const atOnceMs = 1_000
/** In place of the system's notices. */
const recorder = `
  globalThis.notices = []
  globalThis.Notification = class {
    static permission = 'granted'
    static requestPermission = async () => 'granted'
    constructor(title, { tag, body }) { notices.push({ title, tag, body }); this.tag = tag }
    close() { notices.push({ closed: this.tag }) }
  }
  globalThis.sounds = 0
  globalThis.AudioContext = class extends AudioContext {
    constructor() { super(); sounds += 1 }
  }`

t.test('ten tabs say that it rings, one of them by a notice, without the name unless the person allows it', async (t) => {
  await box.visit(t, { as: maria }, async (first, context) => {
    await context.addInitScript(recorder)
    const tabs = [first]
    while (tabs.length < 10) tabs.push(await context.newPage())
    for (const tab of tabs) {
      await tab.goto('/me')
      await tab.getByRole('heading', { name: 'When your phone rings' }).waitFor()
    }
    const noticesOf = async () => (await Promise.all(tabs.map((tab) => tab.evaluate<any[]>('notices')))).flat()
    const ring = async () => {
      const ana = await call(box.daemon.sipPort, { name: 'ANA RUIZ' })
      await phone.until('CALL_INCOMING')
      for (const tab of tabs) await tab.getByRole('alert').filter({ hasText: 'Your phone rings' }).waitFor()
      for (const tab of tabs) await eventually('the title', async () => (await tab.title()).startsWith('Your phone rings – Your account'))
      return async () => {
        await ana.sip.command('DROP')
        for (const tab of tabs) await tab.getByRole('alert').filter({ hasText: 'Your phone rings' }).waitFor({ state: 'detached' })
        await ana.close()
      }
    }
    const soundsOf = async () => (await Promise.all(tabs.map((tab) => tab.evaluate<number>('sounds')))).reduce((sum, n) => sum + n, 0)
    const change = async (name: string): Promise<void> =>
      void (await Promise.all([first.waitForResponse('**/api/people/me'), first.getByRole('checkbox', { name }).click()]))
    const silent = await ring()
    t.same([await noticesOf(), await soundsOf()], [[], 0], 'nobody asked for a notice or a sound')
    t.same(await violations(first), [])
    await silent()
    await change('A short sound')
    const loud = await ring()
    await eventually('a sound', async () => (await soundsOf()) > 0)
    t.same([await noticesOf(), await soundsOf()], [[], 1], 'a sound alone, once a browser')
    await loud()
    for (const [box, body] of [
      ['A notice of the system, once a browser', /^Riverside Clinic$/],
      ['The notice has the name of the caller', /Ana Ruiz/i],
    ] as const) {
      await change(box)
      const before = (await noticesOf()).length
      const end = await ring()
      await eventually('a notice', async () => (await noticesOf()).length > before)
      const given = (await noticesOf()).filter(({ title }) => title !== undefined).slice(before === 0 ? 0 : 1)
      t.equal(given.length, 1, 'once a browser')
      t.match(given[0], { title: 'Your phone rings', body })
      await end()
      await eventually(
        'it is taken away',
        async () => (await noticesOf()).filter(({ closed }) => closed !== undefined).length > (before === 0 ? 0 : 1),
      )
    }
  })
})

t.test('a tab that was frozen while it rang reads first: afterwards it neither shows nor says what rings no more', async (t) => {
  await box.visit(t, { as: maria }, async (first, context) => {
    await context.addInitScript(recorder)
    await context.addInitScript(`
      globalThis.shown = 0
      new MutationObserver(() => {
        if (document.querySelector('.pop.rings') !== null || document.title.startsWith('Your phone rings')) shown += 1
      }).observe(document, { subtree: true, childList: true, characterData: true })`)
    const second = await context.newPage()
    await first.goto('/desk')
    await first.getByRole('heading', { name: 'On the phone now' }).waitFor()
    await second.goto('/desk')
    await second.getByRole('heading', { name: 'On the phone now' }).waitFor()
    const rings = (page: typeof first) => page.locator('.pop.rings')
    const given = async (page: typeof first) => (await page.evaluate<any[]>('notices')).filter(({ title }) => title !== undefined).length
    let go = await standStill(first, true)
    const one = await call(box.daemon.sipPort, { name: 'ANA RUIZ' })
    await rings(second).waitFor()
    await eventually('a notice', async () => (await given(second)) === 1)
    await one.sip.command('DROP')
    await rings(second).waitFor({ state: 'detached' })
    await one.close()
    const read = first.waitForResponse('**/api/desk')
    await go()
    await read
    await first.locator('main:not(.old)').waitFor()
    t.same([await first.evaluate('shown'), await given(first), await first.evaluate('sounds')], [0, 0, 0])

    const two = await call(box.daemon.sipPort, { name: 'ANA RUIZ' })
    for (const tab of [first, second]) await rings(tab).waitFor()
    go = await standStill(first, true)
    await two.sip.command('DROP')
    await rings(second).waitFor({ state: 'detached' })
    await go()
    const at = Date.now()
    await rings(first).waitFor({ state: 'detached' })
    t.ok(Date.now() - at < atOnceMs * patience, `${Date.now() - at} ms`)
    await two.close()
  })
})
