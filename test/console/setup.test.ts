/** A fresh box is set up in a browser, by the invitation of its first technician: questions, trial, provider, phones, test of everything. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { overflow, violations, type Page } from '../harness/browser.ts'
import { ConsoleBox, password } from '../harness/console.ts'
import { Trunk } from '../harness/trunk.ts'

t.setTimeout(240_000)
const trunk = await Trunk.open()
t.teardown(() => trunk.close())
const box = await ConsoleBox.open(t, {
  settings: (base) => {
    base['extensions'] = []
    base['trunks'] = []
    for (const name of ['inbound', 'outbound', 'mailboxes', 'ringGroups', 'queues', 'voice', 'emergency', 'lines']) delete base[name]
  },
})
const { daemon } = box
const next = (page: Page) => page.getByRole('button', { name: 'Next' }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true, level: 2 }).waitFor()

t.test('the invitation leads to the questions; what was answered is there after a break, but no password', async (t) => {
  const { body } = await daemon.api('POST', '/api/people', { login: 'tina', name: 'Tina', roles: ['technician'] })
  const url = new URL(await box.invite(body.personId as string))
  await box.visit(t, {}, async (page) => {
    await page.goto(url.pathname + url.hash)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByLabel('Password again').fill(password)
    await page.keyboard.press('Enter')
    await heading(page, 'The site')
    t.same(await violations(page), [])
    await page.getByLabel('Name of the site').fill('Riverside Clinic')
    await page.getByLabel('Country').fill('ZZ')
    await page.getByLabel('Time zone').fill('America/New_York')
    await next(page)
    await page.getByText('Country: write the two letters of a country, such as US.').waitFor()
    await page.getByLabel('Country').fill('us')
    await next(page)
    await page.getByLabel('This machine’s address for phones').selectOption('none')
    await next(page)
    await page.getByLabel('SIP server of the provider').fill(`127.0.0.1:${trunk.port}`)
    await page.getByLabel('Account name').fill('clinic')
    await page.getByLabel('Password').fill('given-by-the-provider')
    await page.getByLabel('Your numbers').fill('+15550001000 +15550001001')
    t.same(await violations(page), [])
    await next(page)
    await heading(page, 'Phones')
    t.equal(await page.getByRole('group', { name: /^Phone / }).count(), 4)
    await page.getByRole('button', { name: 'Remove phone 104' }).click()
    await page.getByLabel('Name').nth(1).fill('Nurse')
    await next(page)
    await heading(page, 'Analog lines')

    await page.reload()
    await heading(page, 'Analog lines')
    t.notOk(JSON.stringify((await daemon.api('GET', '/api/setup')).body).includes('given-by-the-provider'))
    await page.getByRole('button', { name: 'Provider', exact: false }).first().click()
    t.equal(await page.getByLabel('Account name').inputValue(), 'clinic')
    t.equal(await page.getByLabel('Password').inputValue(), '', 'it is asked again')
    // A provider that does not register: the trunk is up at once, or refuses.
    await page.getByLabel('Kind of provider').selectOption('address')
    await next(page)
    await next(page)
    await next(page)
    await heading(page, 'The office')
    await page.getByRole('button', { name: 'Half day' }).click()
    t.same(await violations(page), [])
    await page.getByLabel('Which number is the fax number?').selectOption('+15550001001')
    await next(page)
    await heading(page, 'Mail and alarms')
    await page.getByLabel('Mail server').fill('127.0.0.1:2525')
    await page.getByLabel('Sender address of the box').fill('the clinic')
    await next(page)
    await page.getByText('Sender address of the box: write it as pbx@example.com.').waitFor()
    await page.getByLabel('Sender address of the box').fill('pbx@clinic.example')
    await page.getByLabel('Mail addresses to notify of faults').fill('technician@example.com')
    await next(page)
    await heading(page, 'Another site')
    await page.getByLabel('There is another site').check()
    await page.getByLabel('Address of its box').fill('127.0.0.9:5060')
    await page.getByLabel('Transport').selectOption('udp')
    await page.getByLabel('Numbers of its phones').fill('10x')
    await page.getByLabel('Password of both boxes').fill('between-both')
    await next(page)
    await page.getByText('a phone of this site has none of them').waitFor()
    t.same(await violations(page), [])
    await page.getByLabel('Numbers of its phones').fill('2xx')
    await next(page)
    await heading(page, 'Put it to use')
    await page.getByText('north, 127.0.0.9:5060, 2xx').waitFor()
    await page.getByText('101 Front desk, 102 Nurse, 103 Phone 103').waitFor()
    t.same(await violations(page), [])
    await page.setViewportSize({ width: 320, height: 640 })
    t.equal(await overflow(page), 0)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Put to use' }).click()
    const phones = page.getByRole('region', { name: 'The settings of the phones' }).first()
    await phones.waitFor()
    const config = parse(readFileSync(daemon.configFile, 'utf8'))
    t.match(config, {
      site: { name: 'Riverside Clinic', timeZone: 'America/New_York' },
      extensions: [{ number: '101' }, { number: '102', name: 'Nurse' }, { number: '103' }],
      trunks: [{ id: 'main', server: `127.0.0.1:${trunk.port}`, register: false }],
      hours: [{ id: 'office', open: { 'mon-fri': ['08:30-17:00'] } }],
      fax: { number: '+15550001001' },
      sites: [{ id: 'north', server: '127.0.0.9:5060', transport: 'udp', extensions: '2xx', password: 'between-both' }],
      alarms: [{ notify: { mail: ['technician@example.com'] } }],
    })
    t.ok((await phones.innerText()).includes(config.extensions[1].password), 'the passwords of the phones are shown')
    await page.getByRole('button', { name: 'Test everything now' }).click()
    await page.getByText(/^\d+ of \d+ passed$/).waitFor()
    t.ok((await page.getByRole('listitem').filter({ hasText: 'by hand' }).count()) > 0, 'what needs a person is named')
    t.same(await violations(page), [])
  })
})

t.test('a Spanish technician reads Spanish from the invitation on, and which answer is wrong', async (t) => {
  const { body } = await daemon.api('POST', '/api/people', { login: 'teo', name: 'Teo', roles: ['technician'], language: 'es' })
  const url = new URL(await box.invite(body.personId as string))
  await box.visit(t, { locale: 'es-MX' }, async (page) => {
    await page.goto(url.pathname + url.hash)
    await page.getByLabel('Contraseña', { exact: true }).fill(password)
    await page.getByLabel('Repita la contraseña').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation').first().waitFor()
    await page.goto('/setup')
    await page.getByRole('button', { name: 'Empezar de nuevo' }).click()
    const onward = () => page.getByRole('button', { name: 'Siguiente' }).click()
    await page.getByRole('button', { name: /Proveedor/ }).click()
    await page.getByLabel('Sus números').fill('5550001000, abc')
    t.ok((await page.getByLabel('Tipo de proveedor').innerText()).includes('un proveedor que conoce la dirección de esta sede'))
    await onward()
    await page.getByText('Sus números: escriba cada uno con + y prefijo de país').waitFor()
    await page.getByRole('button', { name: /Teléfonos/ }).click()
    await page.getByLabel('Número').first().fill('102')
    await onward()
    await page.getByText('Teléfonos: un número está repetido, o falta.').waitFor()
    await page.getByLabel('Número').first().fill('abc')
    await onward()
    await page.getByText('Teléfonos: un número tiene de dos a seis cifras.').waitFor()
  })
})

t.test('a box that is set up is not set up over unasked, and what cannot be used is said with every fault', async (t) => {
  const site = { name: 'X', country: 'ZZ', timeZone: 'Mars/Olympus' }
  const again = await daemon.api('POST', '/api/setup', { answers: { site, extensions: [{ number: '101', name: 'A' }] } })
  t.match(again, { status: 409, body: { code: 'already_set_up' } })
  const refused = await daemon.api('POST', '/api/setup', { force: true, answers: { site, extensions: [{ number: '101', name: 'A' }] } })
  t.equal(refused.status, 422)
  t.match(refused.body.error, /ZZ is not a country.*Mars\/Olympus is not a time zone/)
})
