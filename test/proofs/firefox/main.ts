/**
 * npm run proofs firefox: Firefox ESR as Debian has it (apt-get install firefox-esr), driven by WebDriver BiDi, at the pages that a front desk
 * has open all day: sign-in, the live card of a call that rings, a voicemail played, the pages of a fax; and at those of a manager and a technician:
 * charts that are drawn, a line that is pulled, a fault of the configuration while somebody writes. What breaks the page's policy of sources, and
 * what a script throws, fails the proof.
 */
import { existsSync } from 'node:fs'
import { firefox, type Page } from 'playwright-core'
import { eventually } from '../../harness/waiting.ts'
import { password } from '../../people/stage.ts'
import { Clinic } from '../pictures/clinic.ts'

const executablePath = process.env['FIREFOX'] ?? '/usr/bin/firefox-esr'
if (!existsSync(executablePath)) throw new Error(`there is no ${executablePath}: apt-get install firefox-esr`)

const waitMs = 30_000
/** Of BiDi, which this Firefox does not know yet: what a page hears of colours and motion stays as it is. */
const unknownCommand = 'emulation.setMediaFeaturesOverride'

interface BidiSession {
  send(method: string, ...rest: unknown[]): Promise<unknown>
}

function leaveOut(browser: object): void {
  const { _connection: connection } = browser as { readonly _connection: { toImpl(of: object): { readonly _browserSession: BidiSession } } }
  const sessions = Object.getPrototypeOf(connection.toImpl(browser)._browserSession) as BidiSession
  const { send } = sessions
  sessions.send = function (method, ...rest) {
    return method === unknownCommand ? Promise.resolve({}) : send.call(this, method, ...rest)
  }
}
let failed = 0

/** What the page itself reports: BiDi has no event for a broken policy. */
const recorder = `
  globalThis.broken = []
  addEventListener('securitypolicyviolation', (event) => broken.push(event.violatedDirective + ' ' + event.blockedURI))
  addEventListener('error', (event) => broken.push(String(event.message)))
  addEventListener('unhandledrejection', (event) => broken.push(String(event.reason)))`

async function step(name: string, run: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  const fault = await run().then(
    () => undefined,
    (error: unknown) => String(error).split('\n')[0],
  )
  if (fault !== undefined) failed += 1
  process.stdout.write(`${fault === undefined ? 'ok' : 'MISSED'}  ${name}, ${Math.round(performance.now() - began)} ms ${fault ?? ''}\n`)
}

async function nothingBroken(page: Page): Promise<void> {
  const broken = await page.evaluate<string[]>('broken')
  if (broken.length > 0) throw new Error(broken.join('; '))
}

const clinic = await Clinic.open({ calls: 600 })
const browser = await firefox.launch({ channel: 'moz-firefox', executablePath, firefoxUserPrefs: { 'media.autoplay.default': 0 } })
try {
  leaveOut(browser)
  process.stdout.write(`Firefox ${browser.version()}\n`)
  await clinic.person('maria', 'Maria Lopez', ['desk'], { extension: '101', mailboxes: ['101'], queues: ['front'] })
  const context = await browser.newContext({ baseURL: clinic.daemon.http, locale: 'en-US', viewport: { width: 1280, height: 800 } })
  await context.addInitScript(recorder)
  const page = await context.newPage()
  page.setDefaultTimeout(waitMs)

  await step('sign-in', async () => {
    await page.goto('/')
    await page.getByLabel('Login').fill('maria')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'On the phone now' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  await step('Desk: the card of a call that rings comes and goes by itself', async () => {
    const phone = await clinic.phone('101')
    const caller = await clinic.caller('+12025550114')
    await phone.until('CALL_INCOMING')
    await page.locator('.pop.rings').getByText('Gloria Chen').waitFor()
    await caller.sip.command('DROP')
    await page.locator('.pop.rings').waitFor({ state: 'detached' })
    await nothingBroken(page)
  })

  await step('Voicemail: a message is played, and its time goes on', async () => {
    await page.goto('/voicemail')
    await page.getByRole('button', { name: /Ruth Abara/ }).click()
    await page.getByRole('button', { name: 'Play' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await eventually('three seconds of it', () => page.evaluate<boolean>('document.querySelector("audio").currentTime > 3'))
    await page
      .getByRole('button', { name: /Ruth Abara/ })
      .getByText('new')
      .waitFor({ state: 'detached' })
    await nothingBroken(page)
  })

  await step('Faxes: the picture of a page is seen, in its shape', async () => {
    await page.goto('/faxes')
    await page.getByRole('button', { name: /Lakeside Imaging/ }).click()
    const drawn = `(() => {
      const one = document.querySelector('.paper img')
      return one !== null && one.complete && one.naturalWidth > 800 && Math.abs(one.clientHeight / one.clientWidth - (2200 / 196) / (1728 / 204)) < 0.01
    })()`
    await eventually('the picture', () => page.evaluate<boolean>(drawn))
    await nothingBroken(page)
  })

  await step('all pages of the desk: none breaks the policy, none throws', async () => {
    for (const path of ['/desk', '/texts', '/me']) {
      await page.goto(path)
      await page.getByRole('navigation').waitFor()
      await page.locator('h2').first().waitFor()
      await nothingBroken(page)
    }
  })

  for (const [role, name, paths] of [
    ['manager', 'Mona Diaz', ['/calls', '/reminders', '/queues', '/directory', '/figures', '/hours', '/people', '/alarms', '/audit']],
    ['technician', 'Ray Diaz', ['/health', '/lines', '/config', '/setup', '/applications', '/speech', '/backup', '/tokens', '/audit']],
  ] as const) {
    const { cookie } = await clinic.person(role, name, [role])
    const window = await browser.newContext({ baseURL: clinic.daemon.http, locale: 'en-US', viewport: { width: 1280, height: 800 } })
    await window.addInitScript(recorder)
    await window.addCookies([{ name: 'pbx', value: cookie, url: clinic.daemon.http, httpOnly: true, sameSite: 'Strict' }])
    const page = await window.newPage()
    page.setDefaultTimeout(waitMs)

    await step(`all pages of a ${role}: each has its data, none breaks the policy, none throws`, async () => {
      for (const path of paths) {
        await page.goto(path)
        await page.locator('main h2, main h3').first().waitFor()
        await page.locator('.skeleton').first().waitFor({ state: 'detached' })
        await nothingBroken(page)
      }
    })

    if (role === 'manager')
      await step('Figures: the charts are drawn, and each has its table', async () => {
        await page.goto('/figures')
        await page.getByRole('button', { name: '30 days' }).click()
        await page.getByRole('heading', { name: /The queue is longest/ }).waitFor()
        await eventually('ink in a chart', () =>
          page.evaluate<boolean>(`[...document.querySelectorAll('canvas')].some((canvas) => {
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
            return data.some((byte, at) => at % 4 === 3 && byte > 0)
          })`),
        )
        await nothingBroken(page)
      })
    else {
      await step('Config: a slip of the hand is marked at its place', async () => {
        await page.goto('/config')
        await page.getByRole('textbox', { name: /Text of the configuration/ }).click()
        await page.keyboard.press('Control+End')
        await page.keyboard.type('\nsipp: {}')
        await page.getByRole('button', { name: /did you mean "sip"/ }).waitFor()
        await page.locator('.cm-lint-marker-error').first().waitFor()
        await nothingBroken(page)
      })
      await step('Health: a line that is pulled is there by itself', async () => {
        await page.goto('/health')
        await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
        clinic.spare.close()
        await page
          .getByText(/Trunk spare: .* does not answer/)
          .first()
          .waitFor()
        await nothingBroken(page)
      })
    }
    await window.close()
  }
} finally {
  await browser.close()
  await clinic.close()
}
process.exit(failed === 0 ? 0 : 1)
