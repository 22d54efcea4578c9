/** A box with a desk: phones at 101 and 102, a nurse at 103, a queue, and people at their pages. */
import type { Test } from 'tap'
import type { Page } from 'playwright-core'
import { Baresip } from '../harness/baresip.ts'
import { ConsoleBox, type BoxPerson } from '../harness/console.ts'
import { call, type CallOptions, type Phone } from '../harness/sipp.ts'
import { Trunk } from '../harness/trunk.ts'
import { eventually } from '../harness/waiting.ts'

const password = 'a-long-password'

export const card = (page: Page) => page.locator('.pop.rings')
export const row = (page: Page, text: string) => page.locator('.on-phone .row', { hasText: text })
export const desk = async (page: Page): Promise<void> => {
  await page.goto('/desk')
  await page.getByRole('heading', { name: 'On the phone now' }).waitFor()
}

export async function openDesk(t: Test, more: Readonly<Record<string, unknown>> = {}) {
  const trunk = await Trunk.open()
  const open: { close(): unknown }[] = []
  const box = await ConsoleBox.open(t, {
    trunkPort: trunk.port,
    settings: (base) => {
      base['extensions'] = ['101', '102', '103'].map((number) => ({ number, name: `Desk ${number}`, password, class: 'national' }))
      base['queues'] = [{ id: 'nurses', name: 'Nurse line', members: ['103'], onEmpty: 'voicemail:101' }]
      base['mailboxes'] = [{ ext: '101' }]
      base['inbound'] = [
        { trunk: 'main', to: '+15550001000', destination: '101' },
        { trunk: 'main', to: '+15550001001', destination: 'queue:nurses' },
      ]
      base['outbound'] = [{ trunks: ['main'] }]
      base['emergency'] = { trunks: ['main'], location: 'Riverside Clinic, ground floor' }
      Object.assign(base, more)
    },
  })
  const { daemon } = box
  const live = async (): Promise<any[]> => (await daemon.api('GET', '/api/pbx/calls/active')).body.calls
  const none = (): Promise<void> => eventually('all calls have ended', async () => (await live()).length === 0)
  t.setTimeout(240_000)
  t.afterEach(async () => {
    for (const { callId } of await live()) await daemon.api('POST', `/api/voice/calls/${callId}`, { state: 'completed' })
  })
  t.teardown(async () => {
    for (const one of open.splice(0)) await one.close()
    trunk.close()
  })

  return {
    ...{ box, daemon, trunk, live, none },
    /** Closed with the box. */
    keep: <T extends { close(): unknown }>(one: T): T => (open.push(one), one),

    async phone(user: string, autoAnswer = false): Promise<Baresip> {
      const started = await Baresip.start({ registrar: `127.0.0.1:${daemon.sipPort}`, user, password, autoAnswer })
      open.push(started)
      await started.until('REGISTER_OK')
      return started
    },

    async caller(options: CallOptions = {}): Promise<Phone> {
      const one = await call(daemon.sipPort, options)
      open.push(one)
      return one
    },

    /** Hangs up before anybody has answered. */
    async drop(one: Phone): Promise<void> {
      await one.sip.command('DROP')
      await none()
    },

    maria: (): Promise<BoxPerson> =>
      box.person({ login: 'maria', name: 'Maria Lopez', roles: ['desk'], extension: '101', mailboxes: ['101'] }),
  }
}
