/** Message lamps over real SIP: after SUBSCRIBE, after every REGISTER, after each change, after a restart; new and heard messages apart. */
import t, { type Test } from 'tap'
import { register } from '../engine/registering.ts'
import { Scene, eventually } from '../harness/scene.ts'
import { HandPhone } from '../sip-driver/hand-phone.ts'
import { password } from '../sip-driver/phones.ts'
import { listens } from '../harness/ears.ts'

const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = ['101', '102'].map((number) => ({ number, name: `Desk ${number}`, password }))
    base['mailboxes'] = [
      { ext: '200', transcribe: false },
      { ext: '101', transcribe: false, greeting: 'Speak.' },
    ]
    base['inbound'] = [
      { trunk: 'main', to: '+15550001000', destination: 'voicemail:101' },
      { trunk: 'main', to: '+15550001001', destination: 'voicemail:200' },
    ]
  },
})
const { daemon } = scene
t.setTimeout(240_000)
t.teardown(() => scene.close())

const phoneOf = async (t: Test, user: string, address: string): Promise<HandPhone> => {
  const phone = await HandPhone.register(daemon.sipPort, user, 400, address)
  t.teardown(() => phone.close())
  return phone
}

/** The counts in the next NOTIFY to this phone, asked for or not. */
async function told(phone: HandPhone): Promise<string> {
  const notify = await phone.peer.request('NOTIFY', 15_000)
  phone.peer.answer(notify, 200)
  return `${/Messages-Waiting: (\w+)/.exec(notify.body)?.[1]} ${/Voice-Message: (\S+)/.exec(notify.body)?.[1]}`
}

/** Until it gets these. */
const until = async (phone: HandPhone, counts: string): Promise<void> => {
  while ((await told(phone)) !== counts) continue
}

/** Somebody leaves a message of a few seconds. */
async function leave(to: string): Promise<void> {
  const caller = await scene.call({ to })
  await caller.rtp.sound()
  const before = JSON.parse((await daemon.pbx('mailbox', '--json')).out) as unknown
  caller.rtp.press('1')
  await listens(caller.rtp, 3500)
  await caller.hangup()
  await eventually(
    'the message is in its box',
    async () => (await daemon.pbx('mailbox', '--json')).out !== `${JSON.stringify(before, null, 2)}\n`,
  )
}

t.test('no messages, one, heard, deleted: each is told to who watches and who does not', async (t) => {
  const phone = await phoneOf(t, '101', '127.0.0.11')
  t.equal(await told(phone), 'no 0/0', 'after REGISTER, also that there is none')
  const { answer } = await phone.watches('101', 'message-summary')
  t.equal(answer.status, 200)
  t.equal(await told(phone), 'no 0/0', 'after SUBSCRIBE')
  await leave('+15550001000')
  await until(phone, 'yes 1/0')
  await leave('+15550001000')
  await until(phone, 'yes 2/0')
  const [first, second] = JSON.parse((await daemon.pbx('mailbox', 'list', '101', '--json')).out) as { id: string }[]
  t.equal((await daemon.pbx('mailbox', 'heard', '101', first!.id)).code, 0)
  await until(phone, 'yes 1/1')
  t.match((await register(phone.peer, '101', password))?.status, 200)
  await until(phone, 'yes 1/1')
  t.equal((await daemon.pbx('mailbox', 'heard', '101', second!.id)).code, 0)
  await until(phone, 'no 0/2')
  t.equal((await daemon.pbx('mailbox', 'new', '101', second!.id)).code, 0)
  await until(phone, 'yes 1/1')
  t.equal((await daemon.pbx('mailbox', 'delete', second!.id)).code, 0)
  await until(phone, 'no 0/1')
  await daemon.kill()
  await daemon.start()
  await until(phone, 'no 0/1')
  t.equal((await daemon.pbx('mailbox', 'heard', '101', second!.id)).code, 1, 'it is gone')
})

t.test('a box that belongs to no phone has its own count; what is no box has none', async (t) => {
  const phone = await phoneOf(t, '102', '127.0.0.12')
  t.equal(await told(phone), 'no 0/0')
  await phone.watches('200', 'message-summary')
  t.equal(await told(phone), 'no 0/0')
  await leave('+15550001001')
  await until(phone, 'yes 1/0')
  const { dialog } = await phone.watches('999', 'message-summary')
  const notify = await dialog.request('NOTIFY')
  phone.peer.answer(notify, 200)
  t.match(notify.header('Subscription-State'), /^terminated;reason=noresource/)
  t.match((await daemon.pbx('mailbox')).out, /200 +1 +0/)
})
