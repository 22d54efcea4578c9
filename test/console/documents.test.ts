/** Voicemail, faxes and texts in the console, in a browser: what a person sees and does there, and what the box has of it afterwards. */
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import t from 'tap'
import { encrypted, manyPages } from '../fax-pages/hostile.ts'
import { violations, type Page } from '../harness/browser.ts'
import { ConsoleBox } from '../harness/console.ts'
import { printedPages, textOf } from '../harness/printed.ts'
import { found } from '../harness/waiting.ts'
import { hostile, patient, seed, stopped } from './seeded.ts'

const box = await ConsoleBox.open(t, {
  settings: (base) => {
    base['site'] = { name: 'Riverside Clinic', country: 'US', timeZone: 'America/New_York' }
    base['extensions'] = [{ number: '101', name: 'Front desk', password: 'a-long-password-1' }]
    base['mailboxes'] = [{ ext: '101' }, { ext: '102' }]
    base['sms'] = { trunks: [{ id: 'sim', kind: 'sim', number: '+12025550199' }] }
  },
})
await box.daemon.stop()
const seeded = await seed(join(box.daemon.dir, 'var'))
await box.daemon.start()
const desk = await box.person({ login: 'maria', name: 'Maria Lopez', roles: ['desk'], extension: '101', mailboxes: ['101'] })
const manager = await box.person({ login: 'mona', name: 'Mona Diaz', roles: ['manager'] })
const technician = await box.person({ login: 'tom', name: 'Tom Ridge', roles: ['technician'] })
const spanish = await box.person({ login: 'elena', name: 'Elena Ruiz', roles: ['manager'], language: 'es' })

async function letter(pages: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let page = 1; page <= pages; page++) document.addPage([595, 842]).drawText(`Page ${page}`, { x: 50, y: 700, size: 40 })
  return Buffer.from(await document.save())
}

const pdf = (buffer: Buffer, name = 'referral.pdf') => ({ name, mimeType: 'application/pdf', buffer })
const pictures = (page: Page, within: string) => page.locator(`${within} img`)
/** The picture is there and has been drawn. */
const drawn = (page: Page, within: string) =>
  found('a picture', () =>
    pictures(page, within)
      .first()
      .evaluate((img) => (img as { naturalWidth?: number }).naturalWidth || undefined),
  )
const rowsOf = async (object: string): Promise<any[]> =>
  JSON.parse((await box.daemon.pbx('audit', 'list', '--object', object, '--limit', '50', '--json')).out || '[]')

t.test('a message is heard: three seconds put the lamp out, a seek asks for a range, and the words follow', async (t) => {
  await box.visit(t, { as: desk }, async (page) => {
    const ranges: string[] = []
    page.on('request', (request) => void (request.url().endsWith('.wav') && ranges.push(request.headers()['range'] ?? '')))
    await page.goto('/voicemail')
    await page.getByRole('button', { name: /Gloria Chen/ }).click()
    await page.getByText('Gloria', { exact: true }).waitFor()
    t.match((await box.ask(desk, 'GET', '/api/mailboxes')).body, [{ ext: '101', fresh: 1, old: 0 }], 'its own mailbox alone')
    await page.getByRole('button', { name: 'Play' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await found('that it was heard', async () => ((await box.ask(desk, 'GET', '/api/mailboxes')).body[0].fresh === 0 ? true : undefined))
    await page.locator('.spoken .now').waitFor()
    await page.getByLabel('Place in the recording').fill('9')
    await page.getByLabel('Speed').selectOption('1.5')
    await page.getByRole('button', { name: '5 seconds back' }).click()
    t.ok(ranges.length > 0 && ranges.every((range) => /^bytes=\d+-/.test(range)), ranges.join(' '))
    t.equal(await page.getByRole('menuitem', { name: 'Delete' }).count(), 0)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Forward' }).waitFor()
    t.equal(await page.getByRole('menuitem', { name: 'Delete' }).count(), 0, 'a person of the desk deletes nothing')
    t.equal(await page.getByText('Only for the doctor').count(), 0)
  })
  const rows = await rowsOf(seeded.voicemail)
  t.ok(
    rows.some(({ actor, deed, address }) => actor === 'person:maria' && deed === 'inbox.media' && address === '127.0.0.1'),
    'who heard it',
  )
  t.match(await box.ask(desk, 'GET', '/api/mailboxes/102'), { status: 403, body: { code: 'role_denied' } })
  t.match(await box.ask(desk, 'GET', `/api/inbox/voicemails/${seeded.otherVoicemail}/peaks`), { status: 403 })
  t.match(await box.ask(desk, 'DELETE', `/api/inbox/voicemails/${seeded.voicemail}`), { status: 403 })
  t.match(await box.ask(desk, 'GET', '/api/voice/recordings'), { status: 403 })
})

t.test('the pages of a fax are seen, large and small, turned and in its own size; each view is a row of the audit trail', async (t) => {
  await box.visit(t, { as: desk }, async (page) => {
    await page.goto('/faxes')
    await page.getByRole('button', { name: /Lakeside Imaging/ }).click()
    await drawn(page, '.paper')
    await drawn(page, '.strip')
    t.equal(await pictures(page, '.strip').count(), 3)
    await page.getByRole('button', { name: 'Turn' }).click()
    await page.locator('.sheet.turned-1').first().waitFor()
    await page.getByRole('button', { name: 'Larger' }).click()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.locator('.side').getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Mail on' }).waitFor()
    t.equal(await page.getByRole('menuitem', { name: 'Delete' }).count(), 0, 'a person of the desk deletes nothing')
    await page.keyboard.press('Escape')
    await page.getByLabel('Note for colleagues').fill('For the chart of Mrs. Ruiz')
    await page.getByRole('button', { name: 'Save the note' }).click()
    await page.getByLabel('Assigned to').selectOption({ label: 'You' })
    await page
      .getByRole('button', { name: /^Lakeside Imaging/ })
      .getByText(/Assigned to .?Maria Lopez/)
      .waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Done.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.getByText('Undone').waitFor()
    t.ok(await page.getByRole('link', { name: 'Download the PDF' }).getAttribute('href'))
  })
  const rows = await rowsOf(seeded.fax)
  t.ok(
    rows.some(
      ({ actor, deed, address, object }) =>
        actor === 'person:maria' && deed === 'inbox.media' && address === '127.0.0.1' && object === seeded.fax,
    ),
  )
  t.match(await box.ask(technician, 'GET', `/api/inbox/faxes/${seeded.fax}/pages/1.png`), { status: 403 })
  const { items } = (await box.ask(manager, 'GET', '/api/work?kind=fax')).body
  t.match(
    items.find(({ id }: { id: string }) => id === seeded.fax),
    { state: 'open', owner: desk.personId, note: 'For the chart of Mrs. Ruiz' },
  )
})

t.test(
  'the pages of a fax are printed in their own size with nothing but a foot of box, person and time; other pages have the foot, too',
  async (t) => {
    await box.visit(t, { as: desk }, async (page) => {
      await page.addInitScript('globalThis.print = () => (globalThis.printed = true)')
      await page.goto('/faxes')
      await page.getByRole('button', { name: /Lakeside Imaging/ }).click()
      await drawn(page, '.paper')
      const foot = /Riverside Clinic · Printed by Maria Lopez, .*\d:\d\d/
      for (const [format, sheet] of [
        ['Letter', [8.5, 11]],
        ['A4', [8.27, 11.69]],
        ['Legal', [8.5, 14]],
      ] as const) {
        await page.getByRole('button', { name: 'Print' }).click()
        await found('the pages are drawn', () => page.evaluate<boolean>('globalThis.printed === true'))
        await page.evaluate('globalThis.printed = false')
        const paper = await page.pdf({ format })
        const pages = await printedPages(paper)
        t.equal(pages.length, 3, `${format}: a sheet for each page`)
        // 2200 rows of 196 to the inch are longer than a sheet of letter.
        const share = Math.min(1, sheet[1] / (2200 / 196))
        for (const { pictures } of pages) {
          const [[across = 0, down = 0] = []] = pictures
          t.equal(pictures.length, 1)
          t.ok(
            Math.abs(across - share * (1728 / 204)) < 0.02 && Math.abs(down - share * (2200 / 196)) < 0.02,
            `${format}: ${across} x ${down}`,
          )
        }
        for (const n of pages.keys()) t.match(await textOf(paper, n), foot, `${format}: the foot of sheet ${n + 1}`)
        await page.locator('.printout').waitFor({ state: 'detached' })
      }
      await page.goto('/desk')
      await page.getByRole('heading', { name: 'To do' }).waitFor()
      const text = await textOf(await page.pdf({ format: 'Letter' }))
      t.match(text, foot)
      t.notMatch(text, /Lock/)
    })
  },
)

t.test('what cannot be faxed says so before Send; a new number is typed twice; nothing goes otherwise', async (t) => {
  await box.visit(t, { as: desk }, async (page) => {
    await page.goto('/faxes')
    await page.getByRole('button', { name: 'New fax' }).click()
    const choose = page.getByLabel('Choose a PDF')
    const alert = page.locator('dialog [role=alert]').first()
    for (const [what, file, says] of [
      ['a password', pdf(encrypted('secret')), /password/],
      ['201 pages', pdf(Buffer.from(manyPages(201))), /201 pages.*Send it in parts/],
      ['21 MB', pdf(Buffer.concat([await letter(1), Buffer.alloc(21 * 1024 * 1024)])), /20 MB/],
      ['no PDF', pdf(Buffer.from('a letter'), 'letter.docx'), /PDF/],
    ] as const) {
      await choose.setInputFiles(file)
      await alert.filter({ hasText: says }).waitFor()
      t.pass(what)
    }
    await choose.setInputFiles(pdf(await letter(3), `${hostile.slice(0, 60)}.pdf`))
    await drawn(page, '.grid-pages')
    t.equal(await pictures(page, '.grid-pages').count(), 3)
    const send = page.getByRole('button', { name: 'Send 3 pages' })
    t.ok(await send.isDisabled())
    await page.getByRole('combobox', { name: 'To', exact: true }).fill('202 555 0188')
    await page.getByText('never faxed before').waitFor()
    const again = page.getByLabel('The number once more')
    await again.fill('202 555 0189')
    await page.getByText('This is another number than the one above').waitFor()
    t.ok(await send.isDisabled(), 'typed otherwise the second time')
    t.same((await box.ask(desk, 'GET', '/api/fax')).body.items, [], 'nothing is sent')
    await again.fill('(202) 555-0188')
    await page.getByLabel('With a cover page').check()
    await page.getByLabel('Cover: subject').fill('Referral')
    await page.getByRole('button', { name: 'Send 4 pages' }).click()
    await page.getByText(/is on its way/).waitFor()
    await page.getByRole('button', { name: /^Sending 1/ }).click()
    await page.locator('.sending').waitFor()
  })
  const [fax] = (await box.ask(desk, 'GET', '/api/fax')).body.items
  t.match(fax, { to: '+12025550188', pages: 4, sentBy: 'person:maria' })
})

t.test('a fax that failed is sent to the corrected number, and both know of each other', async (t) => {
  const json = { to: '+12025550170', pdfBase64: (await letter(1)).toString('base64') }
  const { faxId } = (await box.daemon.api('POST', '/api/fax', json)).body as { faxId: string }
  await box.daemon.api('DELETE', `/api/fax/${faxId}`)
  await box.visit(t, { as: desk }, async (page) => {
    await page.goto('/faxes')
    await page.getByRole('button', { name: 'Sent', exact: true }).click()
    await page.getByRole('button', { name: /202 555 0170/ }).click()
    await page.getByRole('button', { name: 'Correct the number' }).click()
    await page.getByRole('combobox', { name: 'To', exact: true }).fill('202 555 0171')
    await page.getByLabel('The number once more').fill('202 555 0171')
    await page.locator('dialog').getByRole('button', { name: /^Send/ }).click()
    await page.getByText('The fax is being sent again.').waitFor()
  })
  const { items } = (await box.ask(desk, 'GET', '/api/fax')).body
  const newer = items.find(({ replaces }: { replaces: string }) => replaces === faxId)
  t.match(newer, { to: '+12025550171' })
  t.equal(items.find((one: { faxId: string }) => one.faxId === faxId).replacedBy, newer.faxId)
})

t.test('a number that asked for no texts gets none, and the page says since when; what became of each text is said', async (t) => {
  await box.visit(t, { as: desk }, async (page) => {
    await page.goto('/texts')
    await page.getByRole('button', { name: /202 555 0143/ }).click()
    await page.getByText(/Stopped on Jan 15\b/).waitFor()
    t.ok(await page.getByLabel('Text', { exact: true }).isDisabled())
    t.ok(await page.getByRole('button', { name: 'Send' }).isDisabled())
    await page.getByRole('button', { name: /202 555 0114/ }).click()
    await page.getByText('may have arrived, not repeated').waitFor()
    await page.getByText(/not sent: The network refused it/).waitFor()
    await page.getByText(/It may mean the appointment/).waitFor()
    await page.getByLabel('Text', { exact: true }).fill('é'.repeat(10))
    await page.getByText('150 characters left in 1 part').waitFor()
    await page.getByLabel('Text', { exact: true }).fill('ł'.repeat(71))
    await page.getByText(/characters left in 2 parts, because of special characters/).waitFor()
    await page.getByLabel('Template').selectOption({ label: 'We are late' })
    t.match(await page.getByLabel('Text', { exact: true }).inputValue(), /Riverside Clinic/)
  })
  const before = (await box.ask(desk, 'GET', '/api/sms')).body.items.length
  t.match((await box.ask(desk, 'POST', '/api/sms', { to: stopped, message: 'Hello' })).body, {
    sent: 0,
    messages: [{ status: 'failed', code: 'opted_out' }],
  })
  t.equal((await box.ask(desk, 'GET', '/api/sms')).body.items.length, before, 'no text leaves')
  const masked = JSON.stringify((await box.ask(technician, 'GET', '/api/texts/conversations')).body)
  t.ok(
    !masked.includes(patient) && !masked.includes('<script>') && !masked.includes('STOP","by') && masked.includes('***'),
    'a technician reads nothing of it',
  )
  t.match(await box.ask(technician, 'GET', `/api/texts/conversations/${encodeURIComponent(patient)}`), { status: 403 })
})

t.test('what strangers wrote is shown as text: scripts, turned directions, 5,000 letters', async (t) => {
  await box.visit(t, { as: manager }, async (page) => {
    for (const path of ['/faxes', '/texts']) {
      await page.goto(path)
      await page
        .getByText(/<script>document.title='taken'<\/script>/)
        .first()
        .waitFor()
      t.not(await page.title(), 'taken')
      t.notOk((await page.locator('main').innerText()).includes('\u202e'), 'the direction stays')
      t.ok((await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0, 'nothing is pushed aside')
    }
  })
})

for (const [language, as] of [
  ['en', manager],
  ['es', spanish],
] as const)
  for (const colorScheme of ['light', 'dark'] as const)
    t.test(`axe finds nothing on the three pages, ${language}, ${colorScheme}`, async (t) => {
      await box.visit(t, { as, colorScheme }, async (page) => {
        for (const [path, open] of [
          ['/voicemail', /Gloria Chen/],
          ['/faxes', /Lakeside/],
          ['/texts', /202 555 0114/],
        ] as const) {
          await page.goto(path)
          await page.getByRole('button', { name: open }).first().click()
          t.same(await violations(page), [], path)
        }
        await page.goto('/faxes')
        await page.getByRole('button', { name: language === 'en' ? 'New fax' : 'Fax nuevo' }).click()
        await page.getByRole('combobox').first().waitFor()
        t.same(await violations(page), [], 'a new fax')
        await page.setViewportSize({ width: 320, height: 700 })
        t.ok((await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0, '320 px without sideways scroll')
      })
    })

t.test('a manager stops texts to a number and allows them again, and deletes a text; the desk stops them alone', async (t) => {
  const stops = async () => (await box.daemon.api('GET', '/api/sms/stop-list')).body.map(({ number }: { number: string }) => number)
  await box.visit(t, { as: desk }, async (page) => {
    await page.goto(`/texts?number=${encodeURIComponent(patient)}`)
    await page
      .getByRole('button', { name: /202 555 0114/ })
      .first()
      .click()
    await page.locator('.bubbles li').first().waitFor()
    t.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0)
    await page.locator('.thread').getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Send no more texts' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send no more texts' }).click()
    await page.getByText(/Stopped on .* by the clinic/).waitFor()
    t.equal(await page.getByRole('button', { name: 'Allow texts again' }).count(), 0)
    t.ok((await stops()).includes(patient))
  })
  await box.visit(t, { as: manager }, async (page) => {
    await page.goto('/texts')
    await page
      .getByRole('button', { name: /202 555 0114/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Allow texts again' }).click()
    t.same(await violations(page), [])
    await page.getByRole('dialog').getByRole('button', { name: 'Allow texts again' }).click()
    await page.getByText(/Stopped on .* by the clinic/).waitFor({ state: 'detached' })
    t.notOk((await stops()).includes(patient))
    const bubble = page.locator('.bubbles li', { hasText: 'See you tomorrow' })
    await bubble.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await bubble.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Stop list' }).click()
    const list = page.getByRole('dialog', { name: 'Stop list' })
    await list.getByLabel('To').fill('202 555 0155')
    await list.getByRole('button', { name: 'Send no more texts' }).click()
    const added = list.getByRole('listitem').filter({ hasText: '202 555 0155' })
    await added.getByText('by the clinic').waitFor()
    t.ok((await stops()).includes('+12025550155'))
    t.same(await violations(page), [])
    await added.getByRole('button', { name: 'Allow texts again: 202 555 0155' }).click()
    await page.getByRole('dialog', { name: 'Allow texts to this number again?' }).getByRole('button', { name: 'Allow texts again' }).click()
    await added.waitFor({ state: 'detached' })
  })
})
