/** Lamps: who may watch, what is shown, that documents are valid, and when a subscription has ended. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Lamp, MessageCounts, WatchedDialog } from '../../drivers/pbx.ts'
import { dialogInfo, messageSummary } from '../../drivers/sip/lamp-documents.ts'
import { Dialog, type SipMessage } from '../engine/sip-peer.ts'
import { authorization } from '../engine/sip-text.ts'
import { Baresip } from '../harness/baresip.ts'
import { eventually } from '../harness/scene.ts'
import { faults, validates } from './dialog-info.ts'
import { HandPhone } from './hand-phone.ts'
import { password, PhoneRig, skip } from './phones.ts'

/** RFC 3842 section 5.2. */
const summary =
  /^Messages-Waiting: (yes|no)\r\n(Message-Account: sips?:[^\s<>"]+\r\n)?((Voice|Fax|Pager|Multimedia|Text|None)-Message: \d+\/\d+( \(\d+\/\d+\))?\r\n)*$/

const watched = { entity: 'sip:102@pbx', idle: '102' }

t.test('what lamps are told is valid, whatever names people have', { skip: validates ? false : 'libxml2 is not here' }, async (t) => {
  t.not(faults('<dialog-info/>'), '', 'the schema is looked at')
  const word = fc.string({ unit: 'grapheme', maxLength: 40 })
  const dialog = fc.record(
    {
      id: word,
      state: fc.constantFrom('trying', 'proceeding', 'early', 'confirmed', 'terminated') as fc.Arbitrary<WatchedDialog['state']>,
      direction: fc.constantFrom('initiator', 'recipient') as fc.Arbitrary<WatchedDialog['direction']>,
      callId: word,
      localTag: word,
      remoteTag: word,
      remote: fc.record({ name: word, uri: fc.constantFrom('sip:101@pbx', 'sip:+15551230001@pbx', 'sip:anonymous@anonymous.invalid') }),
    },
    { requiredKeys: ['id', 'state', 'direction'] },
  )
  fc.assert(
    fc.property(fc.array(dialog, { maxLength: 8 }), fc.array(word, { maxLength: 8 }), fc.nat(), (dialogs, gone, version) => {
      const document = dialogInfo(watched, version, dialogs as WatchedDialog[], gone.slice(dialogs.length))
      return faults(document) === '' && Buffer.byteLength(document) < 6000
    }),
    { numRuns: 60 },
  )
  const nasty = {
    id: '\u0000<&>"\'\uD800',
    state: 'early',
    direction: 'recipient',
    remote: { name: '\u0007 ]]> <b>', uri: 'sip:1@pbx' },
  } as const
  t.equal(faults(dialogInfo(watched, 0, [nasty])), '')
  for (const counts of [
    { fresh: 0, old: 0 },
    { fresh: 2, old: 8, urgentFresh: 1 },
    { fresh: -1, old: 1e9 },
  ]) {
    t.match(messageSummary('sip:101@pbx', counts), summary)
  }
  t.match(
    messageSummary('sip:101@pbx', { fresh: 2, old: 8, urgentOld: 3 }),
    'Messages-Waiting: yes\r\nMessage-Account: sip:101@pbx\r\nVoice-Message: 2/8 (0/3)',
  )
})

/** SUBSCRIBE with proof of who it is; the dialog and its final answer. */
async function subscribing(phone: HandPhone, event: string, extra: readonly string[] = ['Expires: 600'], to = '102') {
  const dialog = new Dialog(phone.peer)
  dialog.local = `<sip:${phone.user}@pbx>;tag=w`
  dialog.remote = `<sip:${to}@127.0.0.1>`
  dialog.target = `sip:${to}@127.0.0.1:${phone.peer.target}`
  const headers = [`Event: ${event}`, ...extra]
  const challenge = await dialog.ask('SUBSCRIBE', { headers })
  if (challenge.status !== 401) return { dialog, answer: challenge }
  const proof = authorization(challenge, 'SUBSCRIBE', dialog.target, phone.user, password)
  const answer = await dialog.ask('SUBSCRIBE', { headers: [...headers, proof] })
  dialog.learn(answer)
  return { dialog, answer }
}

/** What watches, and what was said of it. */
class Watch {
  readonly lamp: Lamp
  refreshes = 0
  ends = 0
  constructor(lamp: Lamp) {
    this.lamp = lamp
  }
  refreshed(): void {
    this.refreshes += 1
  }
  ended(): void {
    this.ends += 1
  }
}

const talking: WatchedDialog = {
  id: 'CA1',
  state: 'confirmed',
  direction: 'recipient',
  remote: { name: 'Ann Lee', uri: 'sip:+15551230001@pbx' },
}

t.test('lamps of phones', { skip, timeout: 90_000 }, async (t) => {
  const rig = await PhoneRig.start(t, {}, ['101', '102'])
  const phone = await HandPhone.register(rig.port, '101', 400)
  t.teardown(() => phone.close())
  const watches: Watch[] = []
  const own = (lamp: Lamp) => {
    const watch = new Watch(lamp)
    watches.push(watch)
    return watch
  }
  const subscribe = (event: string, extra?: readonly string[], to?: string) => subscribing(phone, event, extra, to)
  const notified = async (dialog: Dialog, code = 200): Promise<SipMessage> => {
    const notify = await dialog.request('NOTIFY', 8000)
    phone.peer.answer(notify, code)
    return notify
  }
  const count = async (n: number) => {
    await eventually('a subscription', () => watches.length === n)
    return watches[n - 1]!
  }

  await t.test('nobody decides about them: rejected', async (t) => {
    const { dialog, answer } = await subscribe('dialog')
    t.equal(answer.status, 200)
    t.match((await notified(dialog)).header('Subscription-State'), /^terminated;reason=rejected/)
    rig.driver.lamps.onLamp(own)
  })

  await t.test('a phone watches another: the state at once and at each change, until it has enough', async (t) => {
    const { dialog, answer } = await subscribe('dialog')
    t.equal(answer.status, 200)
    t.equal(answer.header('Expires'), '600')
    const watch = await count(1)
    t.match(watch.lamp, { extension: '101', watches: '102', kind: 'dialog' })
    watch.lamp.showDialogs([])
    const first = await notified(dialog)
    t.match(first.header('Subscription-State'), /^active;expires=\d+/)
    t.equal(first.header('Event'), 'dialog')
    t.equal(first.header('Content-Type'), 'application/dialog-info+xml')
    t.match(first.body, /version="0" state="full" entity="sip:102@pbx"/)
    watch.lamp.showDialogs([{ ...talking, state: 'early' }])
    watch.lamp.showDialogs([talking])
    t.match((await notified(dialog)).body, /version="1".*<state>early<\/state>/s)
    const third = await notified(dialog)
    t.match(third.body, /version="2".*<state>confirmed<\/state>.*Ann Lee/s)
    if (validates) t.equal(faults(third.body), '', 'as it arrived')

    await eventually(
      'the second',
      async () => (await dialog.ask('SUBSCRIBE', { headers: ['Event: dialog', 'Expires: 300'] })).status === 200,
    )
    await eventually('the refresh', () => watch.refreshes === 1)
    watch.lamp.showDialogs([])
    t.match((await notified(dialog)).header('Subscription-State'), /^active;expires=(300|29\d)/)
    t.equal((await dialog.ask('SUBSCRIBE', { headers: ['Event: dialog', 'Expires: 300'] })).status, 503, 'not again within a second')
    t.equal((await dialog.ask('SUBSCRIBE', { headers: ['Event: dialog', 'Expires: 0'] })).status, 200)
    t.match((await notified(dialog)).header('Subscription-State'), /^terminated/)
    await eventually('the end', () => watch.ends === 1)
    watch.lamp.showDialogs([talking])
    t.ok((await dialog.ask('SUBSCRIBE', { headers: ['Event: dialog', 'Expires: 300'] })).status >= 400, 'it is over')
  })

  await t.test('what is refused at once', async (t) => {
    t.match((await subscribe('presence')).answer, { status: 489 })
    t.match((await subscribe('dialog', ['Expires: 5'])).answer, { status: 423 })
    t.match((await subscribe('dialog', ['Expires: 99999999'])).answer.header('Expires'), '600')
    const stranger = await phone.peer.ask('SUBSCRIBE', `sip:102@127.0.0.1`, {
      headers: ['Event: dialog', 'Authorization: Digest username="101"'],
    })
    t.not(stranger?.status, 200)
  })

  await t.test('a daemon that says nothing, a phone that refuses, and one end too many', async (t) => {
    const silent = await subscribe('dialog')
    t.match((await notified(silent.dialog)).header('Subscription-State'), /^terminated;reason=giveup/)
    const known = watches.length
    const { dialog } = await subscribe('message-summary')
    const watch = await count(known + 1)
    t.equal(watch.lamp.kind, 'message-summary')
    watch.lamp.showMessages('101', { fresh: 1, old: 2 })
    t.match((await notified(dialog, 481)).body, summary)
    await eventually('its end', () => watch.ends === 1)
    const ended = await subscribe('dialog', ['Expires: 600'], '*8')
    const last = await count(known + 2)
    t.equal(last.lamp.watches, '*8')
    last.lamp.end('noresource')
    last.lamp.end('noresource')
    t.match((await notified(ended.dialog)).header('Subscription-State'), /^terminated;reason=noresource/)
    await eventually('its end', () => last.ends === 1)
  })

  await t.test('the lamp of a phone whose Contact leads nowhere is lit where the phone is heard, after a refresh, too', async (t) => {
    for (const transport of ['udp', 'tcp'] as const) {
      const port = Number(String(rig.driver.bound()[transport]).split(':').at(-1))
      const hidden = await HandPhone.register(port, '102', 400, '127.0.1.2', transport)
      t.teardown(() => hidden.close())
      Object.defineProperty(hidden.peer, 'contact', { get: () => '<sip:peer@192.0.2.9:9>' })
      const known = watches.length
      const { dialog } = await subscribing(hidden, 'dialog', ['Expires: 600'], '101')
      const watch = await count(known + 1)
      for (const refreshes of [0, 1]) {
        if (refreshes === 1) {
          const again = () => dialog.ask('SUBSCRIBE', { headers: ['Event: dialog', 'Expires: 300'] })
          await eventually('a refresh', async () => (await again()).status === 200)
          await eventually('the refresh', () => watch.refreshes > 0)
        }
        watch.lamp.showDialogs([talking])
        const notify = await dialog.request('NOTIFY')
        hidden.peer.answer(notify, 200)
        t.match(notify.body, `version="${refreshes}"`)
      }
    }
  })

  await t.test('one extension has sixty at most', async (t) => {
    const statuses: number[] = []
    for (let i = 0; i < 62; i++) statuses.push((await subscribe('dialog')).answer.status)
    t.equal(statuses.filter((status) => status === 503).length > 0, true)
    t.ok(statuses.filter((status) => status === 200).length <= 60)
  })
})

/**
 * Whether the lamp of a baresip is lit. Now and then baresip 1.0 asks thousands of times a second and reads no answer: then another one
 * is started.
 */
async function litLamp(t: Test, rig: PhoneRig): Promise<boolean> {
  for (let phone = 0; phone < 10; phone++) {
    // With an empty address book it writes at once what it hears.
    const desk = await Baresip.start({ registrar: String(rig.driver.bound().udp), user: '102', password, modules: ['mwi'], contacts: [] })
    t.teardown(() => desk.close())
    await desk.until('REGISTER_OK')
    const lit = (): boolean => /Messages-Waiting: yes[^]*Voice-Message: 3\/1/.test(desk.output)
    if (
      await eventually('the lamp', lit, 3000).then(
        () => true,
        () => false,
      )
    )
      return true
    await desk.close()
  }
  return false
}

t.test(
  'the message lamp of a real phone, watched and told of by itself; phones subscribe anew when the engine goes',
  { skip, timeout: 200_000 },
  async (t: Test) => {
    const rig = await PhoneRig.start(t, {}, ['101', '102'])
    const counts: MessageCounts = { fresh: 3, old: 1 }
    rig.driver.lamps.onLamp((lamp) => {
      lamp.showMessages('101', counts)
      return { refreshed: () => undefined, ended: () => undefined }
    })
    t.ok(await litLamp(t, rig), 'the lamp of a real phone is lit')

    const phone = await HandPhone.register(rig.port, '101', 400)
    t.teardown(() => phone.close())
    rig.driver.lamps.tellMessages('101', { fresh: 0, old: 4 })
    const notify = await phone.peer.request('NOTIFY')
    phone.peer.answer(notify, 200)
    t.equal(notify.header('Event'), 'message-summary')
    t.match(notify.body, /Messages-Waiting: no\r\nMessage-Account: sip:101@pbx\r\nVoice-Message: 0\/4/)
    t.match(notify.body, summary)
    const { dialog } = await subscribing(phone, 'message-summary', ['Expires: 600'], '101')
    phone.peer.answer(await dialog.request('NOTIFY'), 200)
    const stopped = rig.driver.stop()
    t.match((await dialog.request('NOTIFY')).header('Subscription-State'), /^terminated;reason=deactivated/)
    await stopped
  },
)
