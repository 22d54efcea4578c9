/**
 * A call for help is placed, whatever the state of the box: forms of the number x telephones x states. A further state is a row of `states`:
 * what brings it about, what undoes it, and how long the call may take to reach the trunk.
 */
import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { Dialog, SipPeer, type SipMessage } from '../engine/sip-peer.ts'
import { authorization, sdp } from '../engine/sip-text.ts'
import { tone } from '../harness/audio.ts'
import { RtpPhone } from '../harness/phone.ts'
import { Scene, eventually, pause } from '../harness/scene.ts'

const password = 'a-long-password'
const [main, other] = [await SipPeer.udp(0), await SipPeer.udp(0)]
const at = (peer: SipPeer) => `127.0.0.1:${peer.port}`
const line = { kind: 'sip', transport: 'udp', username: '', password: '', register: false, channels: 1, srtp: 'off' }
const state = mkdtempSync(join(tmpdir(), 'pbxd-state-'))
const scene = await Scene.open(
  {
    env: { STATE_DIRECTORY: state },
    settings: (base) => {
      base['site'] = { ...(base['site'] as object), outsidePrefix: '9' }
      base['sip'] = { ...(base['sip'] as object), phoneNetworks: ['127.0.0.32/32'] }
      base['trunks'] = [
        { ...line, id: 'main', server: at(main), numbers: ['+15550001000'], default: true },
        { ...line, id: 'other', server: at(other), numbers: ['+15550002000'] },
      ]
      base['emergency'] = { location: 'Ground floor', callerId: '+15550001000', trunks: ['main'] }
    },
  },
  false,
)
const { daemon, app } = scene
const storage = join(daemon.dir, 'var')
mkdirSync(storage, { recursive: true })
/** A disk of its own, which can be filled. */
const disk = (() => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=80m,mode=755', 'none', storage], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
await daemon.start()
t.setTimeout(420_000)
t.teardown(async () => {
  await daemon.stop(10_000, 'SIGINT')
  // Its folder cannot be removed while a disk of its own is in it.
  if (disk) execFileSync('umount', ['-l', storage])
  await scene.close()
  for (const folder of [daemon.dir, state]) rmSync(folder, { recursive: true, force: true })
  for (const peer of [main, other, ...Object.values(phones)]) peer.close()
})

/** Telephones: `registered`; `known`, from a network of phones; `lapsed`, of whom nothing is known but that it has a password. */
const phones = {
  registered: await SipPeer.udp(daemon.sipPort, '127.0.0.31'),
  known: await SipPeer.udp(daemon.sipPort, '127.0.0.32'),
  lapsed: await SipPeer.udp(daemon.sipPort, '127.0.0.33'),
}
type PhoneName = keyof typeof phones
const phoneNames = Object.keys(phones) as PhoneName[]
const box = '127.0.0.1'
const users = ['911', '9911', '9-1-1', '+1911', '1911', '911#', '112', '911;phone-context=+1', '911;phone-context=example.com']
const forms = [
  ...users.flatMap((user) => {
    const written = user.replace('#', '%23').replace('+1911', '%2B1911')
    return [
      `sip:${written}@${box}`,
      `sip:${written}@${box};user=phone`,
      `sips:${written}@${box}`,
      `TEL:${written.replace('%2B', '+').replace('%23', '')}`,
    ]
  }),
  `sip:911@${box}?Subject=Help`,
  ...[
    'urn:service:sos',
    'URN:service:SOS',
    'urn:service:sos.ambulance',
    'urn:service:sos.fire',
    'urn:service:sos.police',
    'urn:service:sos.x',
  ],
]
const numberOf = (form: string): string => (form.includes('112') ? '112' : '911')

async function register(): Promise<void> {
  const { registered: phone } = phones
  const who = { to: 'sip:101@pbx', from: 'sip:101@pbx', headers: [`Contact: ${phone.contact};expires=3600`] }
  const asked = await phone.ask('REGISTER', 'sip:pbx', who)
  const given = authorization(asked!, 'REGISTER', 'sip:pbx', '101', password)
  t.equal((await phone.ask('REGISTER', 'sip:pbx', { ...who, cseq: 2, headers: [...who.headers, given] }))?.status, 200)
}

interface Placed {
  readonly dialog: Dialog
  readonly trunk: SipPeer
  readonly invite: SipMessage
  end(): Promise<void>
}

/** Dials, proves who it is, and waits until the trunk has the call and the phone its answer. */
async function callForHelp(
  name: PhoneName,
  form: string,
  { to = form, withinMs = 6000, body = sdp(9, { address: phones[name].address }), trunkBody = sdp(9) } = {},
): Promise<Placed> {
  const dialog = new Dialog(phones[name])
  dialog.local = '<sip:101@pbx>;tag=1'
  dialog.remote = `<${to}>`
  dialog.target = form
  dialog.send('INVITE', { body })
  const asked = await dialog.final('INVITE')
  dialog.send('ACK')
  dialog.send('INVITE', { body, headers: [authorization(asked, 'INVITE', form, '101', password)] })
  const first = (peer: SipPeer) => peer.request('INVITE', withinMs).then((invite) => ({ trunk: peer, invite }))
  const { trunk, invite } = await Promise.any([first(main), first(other)])
  trunk.answer(invite, 200, { body: trunkBody })
  await dialog.answered(withinMs)
  const end = async (): Promise<void> => {
    const gone = trunk.request('BYE')
    t.equal((await dialog.ask('BYE')).status, 200)
    trunk.answer(await gone, 200)
  }
  return { dialog, trunk, invite, end }
}

interface State {
  readonly name: string
  /** Brings it about just before the call; returns what undoes it. */
  enter(): Promise<() => Promise<void>>
  readonly withinMs?: number
  /** Combinations of form and phone that are tried; all of them by default. */
  readonly samples?: number
  readonly skip?: string | false
}

const nothing = async (): Promise<void> => undefined

/** A caller from outside who has the only channel of a trunk. */
async function busy(trunk: SipPeer, number: string): Promise<Dialog> {
  const dialog = new Dialog(trunk)
  dialog.reach(daemon.sipPort)
  dialog.invite(number, { from: '<sip:+13105550142@carrier>', target: `sip:${number}@127.0.0.1:${daemon.sipPort}`, body: sdp(9) })
  await dialog.answered()
  return dialog
}

const states: readonly State[] = [
  { name: 'idle', enter: async () => nothing },
  {
    name: 'all channels of all trunks are taken',
    samples: 2,
    async enter() {
      app.script = () => [{ gather: { timeout: 60 } }]
      const holder = await busy(main, '+15550001000')
      void main
        .request('BYE', 10_000)
        .then((bye) => main.answer(bye, 200))
        .catch(nothing)
      return async () => void holder
    },
  },
  {
    name: 'the first trunk is down',
    samples: 2,
    withinMs: 10_000,
    async enter() {
      const refuse = setInterval(() => {
        const at = main.received.findIndex(({ method }) => method === 'INVITE')
        if (at >= 0) main.answer(main.received.splice(at, 1)[0]!, 503)
      }, 5)
      return async () => clearInterval(refuse)
    },
  },
  {
    name: 'the configuration is refused: safe mode',
    samples: 3,
    async enter() {
      await eventually('the good one is kept', () => existsSync(join(state, 'last-good.json')))
      const good = readFileSync(daemon.configFile, 'utf8')
      await daemon.stop(10_000, 'SIGINT')
      writeFileSync(daemon.configFile, `${good}\n  - [`)
      await daemon.start()
      return async () => {
        await daemon.stop(10_000, 'SIGINT')
        writeFileSync(daemon.configFile, good)
        await daemon.start()
      }
    },
  },
  {
    name: 'nothing can be written: the disk is full',
    samples: 3,
    skip: disk ? false : 'no disk of its own can be mounted',
    async enter() {
      const file = join(storage, 'filler')
      const descriptor = openSync(file, 'w')
      for (let size = 1 << 20; size >= 512; size >>= 1)
        try {
          for (;;) writeSync(descriptor, Buffer.alloc(size))
        } catch {
          // Full to the last byte of this size.
        }
      closeSync(descriptor)
      return async () => rmSync(file)
    },
  },
  {
    name: 'the daemon was killed and comes back at once',
    samples: 2,
    withinMs: 15_000,
    async enter() {
      await daemon.kill()
      const back = pause(700).then(() => daemon.start())
      return async () => void (await back)
    },
  },
  {
    name: 'the daemon is being restarted',
    samples: 2,
    withinMs: 15_000,
    async enter() {
      await daemon.stop()
      const back = daemon.start()
      return async () => void (await back)
    },
  },
  {
    name: 'the daemon was killed and stays away: the engine calls by itself',
    samples: 2,
    withinMs: 12_000,
    async enter() {
      await daemon.kill()
      return async () => void (await daemon.start())
    },
  },
  {
    name: 'the daemon stands still: the engine calls by itself',
    samples: 1,
    withinMs: 12_000,
    async enter() {
      daemon.signal('SIGSTOP')
      return async () => {
        daemon.signal('SIGCONT')
        await daemon.ready()
      }
    },
  },
]

t.before(register)
t.afterEach(async () => {
  app.reset()
  for (const peer of [main, other]) peer.received.splice(0)
})

for (const { name, enter, withinMs = 6000, samples, skip = false } of states) {
  t.test(name, { skip }, async (t) => {
    const all = phoneNames.flatMap((phone) => forms.map((form) => ({ phone, form })))
    const chosen = samples === undefined ? all : fc.sample(fc.constantFrom(...all), samples)
    for (const { phone, form } of chosen) {
      const undo = await enter()
      const began = performance.now()
      const call = await callForHelp(phone, form, { withinMs }).catch((error: unknown) => t.fail(`${form} from ${phone}: ${String(error)}`))
      if (typeof call === 'boolean') return undo()
      t.match(call.invite.start, `INVITE sip:${numberOf(form)}@`, `${form} from ${phone}`)
      t.match(call.invite.header('From'), /"Front desk" <sip:\+15550001000@/)
      if (samples !== undefined) t.comment(`${form} from ${phone}: ${Math.round(performance.now() - began)} ms`)
      await call.end()
      await undo()
    }
  })
}

t.test('the test comes first: what To says, and who is a stranger', async (t) => {
  const call = await callForHelp('registered', `sip:911@${box}`, { to: 'sip:102@pbx' })
  t.match(call.invite.start, /^INVITE sip:911@/)
  await call.end()
  const stranger = scene.keep(await SipPeer.udp(daemon.sipPort, '127.0.0.34'))
  for (const form of forms.slice(0, 4)) {
    const dialog = new Dialog(stranger)
    Object.assign(dialog, { local: '<sip:101@pbx>;tag=1', remote: `<${form}>`, target: form })
    dialog.send('INVITE', { body: sdp(9) })
    const asked = await dialog.final('INVITE')
    t.equal(asked.status, 401, form)
    dialog.send('ACK')
    dialog.send('INVITE', { body: sdp(9), headers: [authorization(asked, 'INVITE', form, '101', 'guessed')] })
    t.equal((await dialog.final('INVITE')).status, 403, form)
    dialog.send('ACK')
  }
  await stranger.ask('REGISTER', `sip:${box}`, { to: 'sip:101@pbx' })
  t.same(
    [main, other].flatMap(({ received }) => received.filter(({ method }) => method === 'INVITE')),
    [],
    'nothing went out',
  )
})

t.test('whom the engine has connected by itself talk with each other, and the next daemon tells people', async (t) => {
  const [own, far] = [scene.keep(await RtpPhone.open(phones.known.address)), scene.keep(await RtpPhone.open('127.0.0.1'))]
  await daemon.kill()
  const body = sdp(own.port, { address: phones.known.address })
  const call = await callForHelp('known', `sip:911@${box}`, { withinMs: 12_000, body, trunkBody: sdp(far.port) })
  own.say(tone(440, 4000))
  far.say(tone(660, 4000))
  await Promise.all([own.sound(), far.sound()])
  await daemon.start()
  t.match((await daemon.pbx('status')).out, /the last time from 101, Front desk, Ground floor/)
  t.ok(daemon.log.some(({ msg }) => msg === 'EMERGENCY CALL, placed by the engine alone'))
  t.match((await daemon.pbx('audit', 'list', '--json')).out, /call\.emergency/)
  // The centre hangs up, with a daemon there that knows nothing of the call.
  const bye = phones.known.request('BYE')
  const centre = Dialog.of(call.trunk, call.invite)
  t.equal((await centre.ask('BYE')).status, 200)
  phones.known.answer(await bye, 200)
})
