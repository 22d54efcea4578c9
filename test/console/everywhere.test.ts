/** What holds on every page of the frame: no barrier in either theme and language, no English word on a Spanish page, every width, the keys alone. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { overflow, violations, type Page } from '../harness/browser.ts'
import { ConsoleBox, type BoxPerson } from '../harness/console.ts'
import { root } from '../harness/daemon.ts'
import { patience } from '../harness/waiting.ts'

const index = readFileSync(join(root, 'daemon/console/pages/index.ts'), 'utf8')
const pages = [...index.matchAll(/\bpath: '([^']+)'[^]*?title: \{ en: '([^']+)', es: '([^']+)' \}/g)].map(([, path, en, es]) => ({
  path: path!,
  title: { en: en!, es: es! },
}))

/** What managers see of a broken glass. */
const atOnceMs = 1_000

interface Says {
  readonly catalogue?: { readonly en: Record<string, string | object>; readonly es: Record<string, string | object> }
}

/** Names, units, and words that are the same in both languages. */
const same = ['pin', 'crm', 'fax', 'faxes', 'stop', 'cancel', 'end', 'min', 'h', 's', 'ms', 'bit', 'normal', 'no']
const isAlike = (text: string): boolean =>
  (
    text
      .replaceAll(/\{\w+\}/g, ' ')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  ).every((word) => same.includes(word))
const textsOf = (entry: string | object): string[] => (typeof entry === 'string' ? [entry] : Object.values(entry))

const files = globSync('daemon/console/{frame,pieces,entry,pages/*}/{words,wording}.ts', { cwd: root }).filter(
  (file) => file !== 'daemon/console/frame/words.ts',
)
const catalogues = await Promise.all(
  files.map(async (file) => ({ file, says: Object.values((await import(join(root, file))) as Record<string, Says>) })),
)
const entries = catalogues.flatMap(({ file, says }) =>
  says.flatMap(({ catalogue }) =>
    catalogue === undefined ? [] : Object.keys(catalogue.en).map((key) => ({ file, key, en: catalogue.en[key]!, es: catalogue.es[key]! })),
  ),
)

t.test('each sentence has its Spanish one, with the same values in it', async (t) => {
  t.ok(entries.length > 150, `${entries.length} entries`)
  t.equal(pages.length, index.match(/\bpath: '/g)?.length)
  for (const { file, key, en, es } of entries) {
    const values = (entry: string | object) => [...new Set(textsOf(entry).flatMap((text) => text.match(/\{\w+\}/g) ?? []))].toSorted()
    t.same(values(es), values(en), `${file}: ${key}`)
    for (const text of textsOf(en)) t.ok(isAlike(text) || !textsOf(es).includes(text), `${file}: ${key}: "${text}"`)
  }
})

const box = await ConsoleBox.open(t, {
  settings: (base) => {
    // Names of people are in no catalogue.
    for (const extension of base['extensions'] as { name: string }[]) extension.name = 'Ana Ruiz'
    base['hours'] = [{ id: 'house', open: { 'mon-sun': ['08:00-20:00'] }, whenOpen: '101', whenClosed: '102' }]
  },
})
const everything = { name: 'Maria Lopez', roles: ['desk', 'manager', 'technician'], extension: '101' } as const
const people: Record<string, BoxPerson> = {
  en: await box.person({ ...everything, login: 'maria', language: 'en' }),
  es: await box.person({ ...everything, login: 'marta', language: 'es' }),
  'en-XA': await box.person({ ...everything, login: 'max', language: 'en-XA' }),
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.getByRole('navigation').waitFor()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' })
}

/** With the colours of the person alone, what is chosen has a line, and so has the focus; nothing moves for somebody who asked for that. */
async function withOwnColours(t: Test, page: Page, path: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
  const unlined = `(all) => [...all].filter((one) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one)
    return one.getClientRects().length > 0 && (outlineStyle === 'none' || parseFloat(outlineWidth) < 2)
  }).map((one) => one.outerHTML.slice(0, 100))`
  const chosen = '[aria-current], [aria-pressed="true"], [aria-selected="true"]'
  t.same(await page.evaluate(`(${unlined})(document.querySelectorAll('${chosen}'))`), [], `${path}: what is chosen`)
  const dull = new Set<string>()
  for (let stop = 0; stop < 25; stop++) {
    await page.keyboard.press('Tab')
    // A field for a file, and the place in a recording, lie under what is shown of them.
    const shown = `document.activeElement === document.body ? [] : [document.activeElement.closest('.drop, .wave-box') ?? document.activeElement]`
    for (const one of await page.evaluate<string[]>(`(${unlined})(${shown})`)) dull.add(one)
  }
  t.same([...dull], [], `${path}: the focus`)
  t.equal(await page.evaluate('document.getAnimations().length'), 0, `${path}: nothing moves`)
  await page.emulateMedia({ forcedColors: 'none' })
}

const english = new Set(entries.flatMap(({ en }) => textsOf(en)).filter((text) => !isAlike(text) && !text.includes('{')))
for (const { title } of pages) if (title.en !== title.es) english.add(title.en)
const spanish = new Set(entries.flatMap(({ es }) => textsOf(es)))

/** What stands on the page in English alone. */
async function englishOn(page: Page): Promise<string[]> {
  const said = await page.evaluate<string[]>(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const all = [document.title.split(' – ')[0]]
    while (walker.nextNode()) all.push(walker.currentNode.data.trim())
    for (const one of document.querySelectorAll('[aria-label], [placeholder], [title]'))
      for (const name of ['aria-label', 'placeholder', 'title']) all.push(one.getAttribute(name) ?? '')
    return all
  })()`)
  return said.filter((text) => english.has(text) && !spanish.has(text))
}

t.test(
  'no page has a barrier, in light and dark, in English and Spanish; a Spanish person reads no English on an English box',
  async (t) => {
    await box.visit(t, { as: people['en']! }, async (page) => {
      for (const { path } of pages) {
        await page.emulateMedia({ colorScheme: 'light' })
        await open(page, path)
        t.same(await violations(page), [], `${path}, light`)
        await page.emulateMedia({ colorScheme: 'dark' })
        t.same(await violations(page, 'colours'), [], `${path}, dark`)
        await withOwnColours(t, page, path)
      }
    })
    await box.visit(t, { as: people['es']! }, async (page) => {
      for (const { path } of pages) {
        await open(page, path)
        t.same(await violations(page), [], `${path}, Spanish`)
        t.equal(await page.evaluate<string>('document.documentElement.lang'), 'es')
        t.same(await englishOn(page), [], path)
      }
    })
  },
)

t.test('at 320 pixels nothing, even with words that are 40 percent longer, has to be scrolled sideways', async (t) => {
  await box.visit(t, { as: people['en-XA']!, viewport: { width: 320, height: 640 } }, async (page) => {
    for (const { path } of pages) {
      await open(page, path)
      t.equal(await overflow(page), 0, path)
    }
  })
})

t.test('the keys alone lead everywhere, and the focus comes back', async (t) => {
  await box.visit(t, { as: people['en']! }, async (page) => {
    const focused = () =>
      page.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText ?? ""')
    await open(page, '/me')
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await page.waitForURL('**/desk')
    await page.keyboard.press('/')
    t.equal(await page.evaluate('document.activeElement.id'), 'search')
    await page.keyboard.type('g m?')
    t.equal(await page.getByRole('dialog').count(), 0, 'no key acts in a field')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.keyboard.type('peop')
    await page.getByRole('option', { name: 'People' }).waitFor()
    t.same(await violations(page), [], 'the open list')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.keyboard.type('people')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/people')
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'All keys' }).waitFor()
    t.same(await violations(page), [], 'the list of keys')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('banner').getByRole('button', { name: 'Maria Lopez' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    t.equal(await focused(), 'Your account')
    t.same(await violations(page), [], 'the menu')
    await page.keyboard.press('ArrowDown')
    t.equal(await focused(), 'Lock')
    await page.keyboard.press('Escape')
    t.match(await focused(), /Maria Lopez/)
    const stops = new Set<string>()
    for (let n = 0; n < 60; n++) {
      await page.keyboard.press('Tab')
      stops.add(await focused())
    }
    for (const stop of ['To the content', 'Lock', 'Add a person'])
      t.ok(
        [...stops].some((one) => one.includes(stop)),
        stop,
      )
  })
})

t.test('a key that is switched off does nothing, and stays so', async (t) => {
  await box.visit(t, { as: people['en']! }, async (page) => {
    await open(page, '/me')
    const box = page.getByRole('checkbox', { name: /All keys/ })
    const change = async () => Promise.all([page.waitForResponse('**/api/people/me'), box.click()])
    await change()
    await open(page, '/me')
    t.equal(await box.isChecked(), false)
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('?')
    t.equal(await page.getByRole('dialog').count(), 0)
    await change()
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'All keys' }).waitFor()
  })
})

t.test('the house is closed by hand, and opened again by Undo', async (t) => {
  await box.visit(t, { as: people['en']! }, async (page) => {
    const state = async () => (await box.daemon.api('GET', '/api/hours')).body[0].override as string | null
    await open(page, '/desk')
    await box.daemon.api('POST', '/api/hours/house', { state: 'open' })
    await page.getByRole('button', { name: /^Open/ }).click()
    await page.getByRole('dialog').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Back to the opening times' }).waitFor()
    t.same(await violations(page), [])
    await page.getByLabel('Until').fill('23:30')
    await page.getByRole('dialog').getByRole('button', { name: 'Close now' }).click()
    await page.getByText('house is closed now').waitFor()
    t.equal(await state(), 'closed')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Closed until/ }).waitFor()
    await Promise.all([page.waitForResponse('**/api/hours/house'), page.getByRole('button', { name: 'Undo' }).click()])
    t.equal(await state(), 'open')
    await page.getByRole('button', { name: /^Open/ }).waitFor()
  })
})

t.test('a technician breaks the glass with a reason: each manager sees it within a second on every page, and sees it end', async (t) => {
  const tess = await box.person({ login: 'tess', name: 'Tess', roles: ['technician'] })
  const anna = await box.person({ login: 'anna', name: 'Anna', roles: ['manager'] })
  const nora = await box.person({ login: 'nora', name: 'Nora', roles: ['desk'] })
  const seen = (page: Page) => page.getByRole('status').filter({ hasText: /Tess \(technician\) reads as a manager until .*one-way audio/ })
  await box.visit(t, { as: anna }, async (manager, context) => {
    const tabs = [manager, await context.newPage()]
    await open(tabs[0]!, '/people')
    await open(tabs[1]!, '/faxes')
    await box.visit(t, { as: tess }, async (page) => {
      await open(page, '/')
      t.equal(await page.getByRole('link', { name: 'Desk' }).count(), 0)
      const breakIt = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Tess' }).click()
        await page.getByRole('menuitem', { name: 'Break glass' }).click()
        await page.getByLabel('Reason').fill('A caller reports one-way audio')
        t.same(await violations(page), [])
        const broken = page.waitForResponse('**/api/session/glass')
        await page.getByRole('button', { name: 'Break glass' }).click()
        await broken
        const at = Date.now()
        for (const tab of tabs) await seen(tab).waitFor()
        t.ok(Date.now() - at < atOnceMs * patience, `${Date.now() - at} ms`)
        await page.getByText('You read as a manager until').waitFor()
        await page.getByRole('link', { name: 'Desk' }).waitFor()
      }
      await breakIt()
      t.same(await violations(manager), [])
      const house = (await box.ask(nora, 'GET', '/api/desk')).body
      t.match(house.glass, [{ login: 'tess' }])
      await box.visit(t, { as: nora }, async (desk) => {
        await open(desk, '/faxes')
        t.equal(await seen(desk).count(), 0, 'it is shown to managers')
      })
      await page.getByRole('button', { name: 'End it now' }).click()
      for (const tab of tabs) await seen(tab).waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Desk' }).waitFor({ state: 'detached' })
      await breakIt()
      await page.getByRole('button', { name: 'Tess' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      for (const tab of tabs) await seen(tab).waitFor({ state: 'detached' })
    })
  })
})

t.test('the fault of a panel leaves the others, says what it is, and goes with the next try', async (t) => {
  await box.visit(t, { as: people['en']!, expects: /invalid|undefined|null/i }, async (page) => {
    const sessions = page.getByRole('region', { name: 'Sessions' })
    for (const answer of [
      { status: 503, body: JSON.stringify({ error: 'The store is away.', code: 'overloaded', requestId: 'req-1' }) },
      { status: 200, body: JSON.stringify([{ sessionId: 'x', createdAt: 'never' }]) },
    ]) {
      await page.route('**/api/people/*/sessions', (route) => route.fulfill({ contentType: 'application/json', ...answer }))
      await page.goto('/me')
      await sessions.getByRole('button', { name: 'Try again' }).waitFor()
      if (answer.status === 503) await sessions.getByText('The store is away.').waitFor()
      if (answer.status === 503) await sessions.getByText('Request req-1').waitFor()
      await page.getByRole('button', { name: 'Change the password' }).waitFor()
      await page.unrouteAll()
      await sessions.getByRole('button', { name: 'Try again' }).click()
      if (answer.status === 503) await sessions.getByText('this one').waitFor()
    }
  })
})
