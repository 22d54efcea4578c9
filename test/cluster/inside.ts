/**
 * Calls, texts and requests through the edge of a fleet, with boxes that die, stand still and drain. Runs in namespaces that
 * test/cluster/fleet.test.ts makes, and prints a line of JSON for each look.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { register } from '../engine/registering.ts'
import { SipPeer } from '../engine/sip-peer.ts'
import { edge, saidIn, until, type Fleet, type FleetBox } from '../../scripts/cluster/fleet.ts'
import { patience, pause } from '../harness/waiting.ts'
import { lives, Phone, Stage } from '../proofs/cluster/stage.ts'
import { type Caller, count, hangUp, look, slowest } from './caller.ts'

const dir = mkdtempSync(join(tmpdir(), 'pbxd-fleet-'))
let stage: Stage
/** The provider. */
let line: SipPeer
let caller: Caller
/** What is promised of a daemon that stands still: no call after so long. */
const stillMs = 3000
/** On a machine of usual speed: a call waits no longer for a box that died, and the other machine of the edge serves. */
const diedMs = 2000 * patience
const movedMs = 3000 * patience
/** Less than the silence after which another box is asked. */
const atOnceMs = 1000 * patience
/** In less the one that comes back would have the address again, if it took it. */
const takenMs = 3000

async function main(): Promise<void> {
  stage = await Stage.open(dir)
  const { fleet } = stage
  const [a, b, c] = stage.boxes
  line = stage.line
  caller = stage.caller
  await spread(a, b, c)
  await ids(fleet, a)
  await texts(fleet, a, b, c)
  await keys(fleet)
  await phones(fleet, a)
  await clients(fleet)
  await drains(fleet, a)
  await standsStill(fleet, b)
  await daemonDies(fleet, b)
  await dies(a)
  await edgeDies(fleet, b)
}

async function spread(...boxes: FleetBox[]): Promise<void> {
  const all = await caller.calls(30, 50)
  look(
    '30 calls over three boxes are answered',
    all.every(({ status }) => status === 200),
    all.map(({ status }) => status).join(),
  )
  const shares = boxes.map(({ address }) => count(all, address))
  look(
    'each box has its share',
    shares.every((share) => share === 10),
    shares.join(),
  )
  look('sound goes directly to the box', count(all, edge) === 0)
  hangUp(all)
  const ended = await Promise.all(
    all.map(({ dialog }) =>
      dialog.final('BYE', 5000).then(
        ({ status }) => status,
        () => 0,
      ),
    ),
  )
  look(
    'and their ends reach them',
    ended.every((status) => status === 200),
    ended.join(),
  )
}

async function ids(fleet: Fleet, a: FleetBox): Promise<void> {
  const talk = await caller.call()
  const rows: string[] = []
  for (const box of fleet.boxes) {
    const { items } = (await (await fetch(`${box.api}/api/voice/calls?limit=20`, { headers: bearer })).json()) as {
      items: { callId: string }[]
    }
    for (const { callId } of items.slice(0, 3)) {
      const answers = await Promise.all([1, 2, 3].map(() => fleet.api('GET', `/api/voice/calls/${callId}`)))
      if (!answers.every(({ status, box: by }) => status === 200 && by === box.id))
        rows.push(`${callId} ${answers.map((one) => `${one.status} ${one.box}`).join()}`)
    }
  }
  look('an id reaches its box each time', rows.length === 0, rows.join('; '))
  const unknown = await fleet.api('GET', '/api/voice/calls/CA019a5b3c4d5e7f808fff1234abcd5678')
  look(
    'the id of no box is 404',
    unknown.status === 404 && unknown.body.code === 'not_found',
    `${unknown.status} ${JSON.stringify(unknown.body)}`,
  )
  const own = await fleet.api('GET', `/api/voice/calls/CA019a5b3c4d5e7f808${a.id}1234abcd5678`)
  look(
    'an unknown id of a box is answered by that box',
    own.status === 404 && own.box === a.id && own.body.code === 'call_unknown',
    `${own.status} ${own.box}`,
  )
  const list = new Set(await Promise.all([1, 2, 3].map(async () => (await fleet.api('GET', '/api/voice/calls?limit=1')).box)))
  look('lists come from any, which X-Box names', list.size === 3, [...list].join())
  hangUp([talk])
}

const bearer = { authorization: 'Bearer fleet-0123456789abcdef' }

async function texts(fleet: Fleet, ...boxes: FleetBox[]): Promise<void> {
  const sent = Array.from({ length: 30 }, (_, n) => `Text number ${n}`)
  for (const text of sent) {
    const answer = await line.ask('MESSAGE', `sip:+15550001000@${edge}`, { from: 'sip:+15551230001@pbx', type: 'text/plain', body: text })
    if (answer?.status !== 200) look('a text is taken', false, `${text}: ${answer?.start}`)
  }
  const seen: string[] = []
  for (const { id } of boxes) {
    const got: string[] = []
    for (let since = 0, more = true; more;) {
      const { body, box } = await fleet.api('GET', `/api/inbox/sms?since=${since}&limit=4&box=${id}`)
      if (box !== id) look('a poll reaches the box that it names', false, `${id}: ${box}`)
      more = body.items.length === 4
      since = body.nextSince
      got.push(...body.items.map((item: { message?: string; text?: string; body?: string }) => item.message ?? item.text ?? item.body))
    }
    const order = got.map((text) => sent.indexOf(text))
    look(`the texts of box ${id} come in order`, got.length > 0 && order.every((at, n) => n === 0 || at > order[n - 1]!), order.join())
    seen.push(...got)
  }
  look('30 texts over three boxes are polled, each once', seen.length === 30 && new Set(seen).size === 30, seen.length)
  const all = async (): Promise<string[]> =>
    (await fleet.api('GET', '/api/inbox/sms?since=0&limit=100')).body.items.map((item: { body: string }) => item.body)
  await until('the box of the inbox has them all', async () => (await all()).length >= 30, 10_000).catch(() => undefined)
  look(
    'the box of the inbox gives all of them, each once',
    (await all()).toSorted().join() === sent.toSorted().join(),
    (await all()).length,
  )
  const plain = await Promise.all([1, 2, 3, 4].map(() => fleet.api('GET', '/api/inbox/sms?since=0')))
  look(
    'a poll that names no box goes to the box of the inbox',
    plain.every(({ status, box }) => status === 200 && box === '001'),
    plain.map(({ box }) => box).join(),
  )
  const direct = await fetch(`${boxes[1]!.api}/api/inbox/sms?since=0`, { headers: bearer })
  const refusal = (await direct.json()) as { code: string }
  look('another box refuses it', direct.status === 409 && refusal.code === 'inbox_elsewhere', `${direct.status} ${refusal.code}`)
}

const idOf = ({ body }: { readonly body: { messages?: { messageId: string }[] } }): string => body.messages?.[0]?.messageId ?? ''

async function keys(fleet: Fleet): Promise<void> {
  const post = (key: string) =>
    fleet.api('POST', '/api/sms', { to: '+15551230002', message: 'Your appointment' }, { 'Idempotency-Key': key })
  const answering = setInterval(() => {
    const at = line.received.findIndex(({ method }) => method === 'MESSAGE')
    if (at >= 0) line.answer(line.received.splice(at, 1)[0]!, 200)
  }, 20)
  const first = await post('key-1')
  const again = await Promise.all([1, 2, 3].map(() => post('key-1')))
  const id = idOf(first)
  look(
    'a repeated key gets the stored answer',
    first.status < 300 && again.every(({ body, box }) => idOf({ body }) === id && box === first.box),
    JSON.stringify(first.body),
  )
  const homes = new Set<string>()
  for (let n = 0; n < 12; n++) homes.add((await post(`other-${n}`)).box)
  look('keys live in all boxes', homes.size === 3, [...homes].join())
  const box = fleet.boxes.find((one) => one.id === first.box)!
  await box.kill(true)
  await until('HAProxy knows that it is down', async () => (await post('key-1')).status === 503, 8000)
  const down = await post('key-1')
  look(
    'while its box is down the key is refused, and no other box takes it',
    down.status === 503 && down.box === '' && down.body.code === 'box_unreachable' && down.headers.get('retry-after') === '5',
    `${down.status} ${down.box} ${JSON.stringify(down.body)}`,
  )
  const gone = await fleet.api('GET', `/api/sms/${id}`)
  look('an id of a box that is down is 503', gone.status === 503 && gone.body.code === 'box_unreachable', `${gone.status}`)
  box.start()
  await box.ready()
  await until('HAProxy knows that it is there', async () => (await post('key-1')).status < 300, 8000)
  const after = await post('key-1')
  look('afterwards it gets the stored answer', idOf(after) === id, JSON.stringify(after.body))
  clearInterval(answering)
  await caller.reaches(fleet.boxes)
}

async function phones(fleet: Fleet, a: FleetBox): Promise<void> {
  const [one, two] = await Promise.all([SipPeer.udp(5060, '10.211.0.41', edge), SipPeer.udp(5060, '10.211.0.42', edge)])
  const contact = (peer: SipPeer, at: string, name: string): string[] => [
    `Contact: <sip:101@${at}:${peer.port};line=${name}>;expires=300`,
    'Supported: path',
  ]
  const answers = [
    await register(one, '101', 'a-long-password-of-101', contact(one, '10.211.0.41', 'x')),
    await register(two, '101', 'a-long-password-of-101', contact(two, '10.211.0.42', 'y')),
  ]
  look(
    'two phones of a number register through the edge',
    answers.every((answer) => answer?.status === 200),
    answers.map((answer) => answer?.start).join(),
  )
  const registered = (await (await fetch(`${a.api}/metrics`, { headers: bearer })).text()).match(/^pbx_extension_registered\{.*101.*\} 1$/m)
  look('at the box of that number', registered !== null)
  const stranger = await SipPeer.udp(5060, '10.211.0.43', edge)
  for (let n = 0; n < 6; n++) await register(stranger, '101', `wrong${n}`)
  const still = await register(one, '101', 'a-long-password-of-101', contact(one, '10.211.0.41', 'x'))
  look(
    'six wrong passwords ban that phone alone',
    still?.status === 200 && /10\.211\.0\.43/.test(a.pbx('lines', 'bans').out),
    a.pbx('lines', 'bans').out,
  )
  const outside = phoneCall(one)
  const invite = await line.request('INVITE', 6000).catch(() => undefined)
  look(
    'what it dials goes out through the edge to the provider',
    invite !== undefined && invite.headers('Record-Route').length > 0,
    invite?.start,
  )
  if (invite !== undefined) line.answer(invite, 486)
  await outside
  for (const peer of [one, two, stranger]) peer.close()
  void fleet
}

async function phoneCall(phone: SipPeer): Promise<void> {
  const { phoneCalls } = await import('../engine/phone-calls.ts')
  const made = await phoneCalls(phone, '101', 'a-long-password-of-101', '+12125551234', 10_000).catch((error: unknown) => error)
  if (made instanceof Error) look('a phone dials', false, made.message)
}

async function clients(fleet: Fleet): Promise<void> {
  const { get } = await import('node:http')
  const ask = (from: string, secret: string, more: Record<string, string> = {}): Promise<number> =>
    new Promise((resolve, reject) =>
      get(
        {
          host: edge,
          path: `/api/voice/calls/CA019a5b3c4d5e7f8080011234abcd5678`,
          localAddress: from,
          headers: { authorization: `Bearer ${secret}`, ...more },
        },
        (answer) => {
          answer.resume()
          resolve(answer.statusCode ?? 0)
        },
      ).on('error', reject),
    )
  const wrong: number[] = []
  for (let n = 0; n < 14; n++) wrong.push(await ask('10.211.0.30', `wrong-${n}`, { 'X-Forwarded-For': `192.0.2.${n}` }))
  look('wrong tokens of one client shut it out, whatever it says of itself', wrong.at(-1) === 429, wrong.join())
  look('and no other client', (await ask('10.211.0.31', 'wrong')) === 401)
  void fleet
}

async function drains(fleet: Fleet, a: FleetBox): Promise<void> {
  const talk = await caller.talkAt(a)
  look('pbx drain', a.pbx('drain').code === 0)
  const during = await caller.calls(9, 100)
  look(
    'no new call goes to a box that drains, and none is lost',
    during.every(({ status }) => status === 200) && count(during, a.address) === 0,
    `${during.map(({ status }) => status).join()}, at it ${count(during, a.address)}`,
  )
  const { items } = (await (await fetch(`${a.api}/api/voice/calls?limit=5`, { headers: bearer })).json()) as { items: { callId: string }[] }
  const asked = await fleet.api('GET', `/api/voice/calls/${items[0]!.callId}`)
  look('it still answers for its ids', asked.status === 200 && asked.box === a.id, `${asked.status} ${asked.box}`)
  const servers = async (): Promise<ReadonlySet<string>> =>
    new Set(await Promise.all([1, 2, 3, 4].map(async () => (await fleet.api('GET', '/api/voice/calls?limit=1')).box)))
  await until('HAProxy has seen that it drains', async () => !(await servers()).has(a.id), 8000)
  const lists = await servers()
  look('and gets no other request', !lists.has(a.id) && lists.size === 2, [...lists].join())
  const alive = !line.received.some((m) => m.method === 'BYE' && m.header('Call-ID') === talk.dialog.callId)
  look('its talk goes on', alive)
  talk.dialog.send('BYE')
  look('pbx drain --off', a.pbx('drain', '--off').code === 0)
  hangUp(during)
  await caller.reaches(fleet.boxes)
  const after = await caller.calls(9, 100)
  look('afterwards it has its share again', count(after, a.address) === 3, count(after, a.address))
  hangUp(after)
}

async function standsStill(fleet: Fleet, b: FleetBox): Promise<void> {
  const phone = await Phone.at('10.211.0.41', '201')
  await phone.register()
  const talk = await stage.talk(phone)
  b.signal('SIGSTOP')
  await pause(stillMs)
  const all = await caller.calls(12, 100)
  look(
    'a box whose daemon stands still gets no call after 3 s',
    all.every(({ status }) => status === 200) && count(all, b.address) === 0,
    `${all.map(({ status }) => status).join()}, slowest ${slowest(all)} ms`,
  )
  look('and its talk is heard both ways', lives(await stage.heard(talk)))
  hangUp(all)
  b.signal('SIGCONT')
  await caller.reaches(fleet.boxes)
  look('its hang-up reaches the other side afterwards', await stage.ends(talk))
  phone.peer.close()
}

async function daemonDies(fleet: Fleet, b: FleetBox): Promise<void> {
  const phone = await Phone.at('10.211.0.41', '201')
  await phone.register()
  const talk = await stage.talk(phone)
  await b.kill(false)
  const all = await caller.calls(20, 100)
  look(
    'pbxd of a box dies alone: no call is lost',
    all.every(({ status }) => status === 200),
    all.map(({ status }) => status).join(),
  )
  look('and none waits 2 s', slowest(all) < 2000, `slowest ${slowest(all)} ms`)
  look('later ones go elsewhere', count(all.slice(-6), b.address) === 0)
  look('its talk is heard both ways meanwhile', lives(await stage.heard(talk)))
  hangUp(all)
  b.start()
  await b.ready()
  await caller.reaches(fleet.boxes)
  look('and its hang-up reaches the other side afterwards', await stage.ends(talk))
  phone.peer.close()
}

async function dies(a: FleetBox): Promise<void> {
  let killed: Promise<void> | undefined
  const all = await caller.calls(100, 50, (n) => {
    if (n === 20) killed = a.kill(true)
  })
  await killed
  const lost = all.filter(({ status }) => status !== 200)
  look(
    'a box dies under 20 calls/s: only calls that it had rung are lost',
    lost.every(({ rang }) => rang) && lost.length <= 3,
    lost.map(({ status, rang, tookMs }) => `${status} ${rang} ${tookMs} ms`).join('; '),
  )
  const served = all.filter(({ status }) => status === 200)
  const late = served.filter(({ tookMs }) => tookMs > 1000).length
  look(
    'others wait at most until the silence of the dead box counts',
    slowest(served) <= diedMs,
    `${late} late, slowest ${slowest(served)} ms, lost ${lost.length}`,
  )
  look('3 s later nobody waits', slowest(all.slice(-20)) < atOnceMs, slowest(all.slice(-20)))
  hangUp(served)
}

async function edgeDies(fleet: Fleet, b: FleetBox): Promise<void> {
  const talk = await caller.talkAt(b)
  const first = fleet.holder()
  const second = first === 'e1' ? 'e2' : 'e1'
  look('one machine of the edge has the address', first !== '', first)
  fleet.cable(first, false)
  const served = async (): Promise<boolean> => (await line.ask('OPTIONS', `sip:${edge}`, { ms: 200 }))?.status === 200
  const tookMs = Math.round(await until('the other machine serves', served, 15_000))
  look('its cable is pulled: the other serves within 3 s', tookMs <= movedMs, `${tookMs} ms`)
  const after = await caller.calls(6, 100)
  look(
    'calls come in through it',
    after.every(({ status }) => status === 200),
    after.map(({ status }) => status).join(),
  )
  look('requests, too', (await fleet.api('GET', '/api/voice/calls?limit=1')).status === 200)
  talk.dialog.send('BYE')
  const ended = await talk.dialog.final('BYE', 4000).then(
    ({ status }) => status,
    () => 0,
  )
  look('the end of an earlier talk reaches its box through it', ended === 200, ended)
  fleet.cable(first, true)
  await pause(takenMs)
  look('the one that comes back does not take the address', fleet.holder() === second, fleet.holder())
  hangUp(after)
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    look('the course of the proof', false, `${(error as Error).stack}\n${saidIn(dir)}`)
    process.exit(1)
  },
)
