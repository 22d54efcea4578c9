/** Boxes that are full, that have no channel left, that drain and stop: who is refused how, and that help is placed all the same. */
import type { FleetBox } from '../../../scripts/cluster/fleet.ts'
import { count, hangUp, look } from '../../cluster/caller.ts'
import { pause } from '../../harness/waiting.ts'
import { until } from '../../../scripts/cluster/fleet.ts'
import { bearer, outside, Phone, type Stage } from './stage.ts'

const room = 50

async function changed(box: FleetBox, calls: number | undefined, channels: number): Promise<void> {
  box.write((config) => {
    if (calls === undefined) delete config['sip'].calls
    else config['sip'].calls = calls
    config['trunks'][0].channels = channels
  })
  await box.restart()
}

/** Waits until a call of a provider gets this many boxes and no others. */
const alone = async (stage: Stage, box: FleetBox): Promise<void> => {
  for (const other of stage.boxes) if (other !== box) other.pbx('drain')
  await until(
    `only ${box.id} takes calls`,
    async () => {
      const all = await stage.caller.calls(3, 50)
      hangUp(all)
      return all.every(({ sound }) => sound === box.address)
    },
    15_000,
  )
  await pause(1000)
}

/** A call for help of a phone through the edge: the status that it got, and the request that the provider got. */
export async function callsForHelp(
  stage: Stage,
  phone: Phone,
): Promise<{ readonly status: number; readonly place: string; readonly reached: boolean }> {
  stage.line.received.length = 0
  const dialling = phone.dials('911')
  const isHelp = (start: string): boolean => /^INVITE sip:911@/.test(start)
  const invite = await stage.line.next('INVITE 911', ({ start }) => isHelp(start), 12_000).catch(() => null)
  if (invite !== null) stage.line.answer(invite, 200, { body: invite.body })
  const { answer, dialog } = await dialling
  const last = answer.status >= 200 ? answer : await dialog.final('INVITE', 8000).catch(() => answer)
  if (last.status === 200) {
    dialog.learn(last)
    dialog.send('ACK')
    dialog.send('BYE')
  }
  return { status: last.status, place: invite?.header('X-Place') ?? '', reached: invite !== null }
}

/** Any other call of a phone through the edge: whether it reached the provider, who is busy, and what the phone got. */
async function callsOut(stage: Stage, phone: Phone): Promise<{ readonly status: number; readonly reached: boolean }> {
  const { line } = stage
  let reached = false
  const busy = setInterval(() => {
    const at = line.received.findIndex(({ start }) => start.startsWith(`INVITE sip:${outside}@`))
    if (at < 0) return
    reached = true
    line.answer(line.received.splice(at, 1)[0]!, 486)
  }, 20)
  const { answer, dialog } = await phone.dials(outside)
  const last = answer.status >= 200 ? answer : await dialog.final('INVITE', 8000).catch(() => answer)
  dialog.send('ACK')
  clearInterval(busy)
  return { status: last.status, reached }
}

export async function full(stage: Stage): Promise<void> {
  const [a, b, c] = stage.boxes
  const phone = await Phone.at('10.211.0.41', '101')
  for (const box of [a, b]) await changed(box, room, room)
  await stage.caller.reaches(stage.boxes)
  look('a phone registers', (await phone.register()) === 200)
  await alone(stage, a)
  const first = await stage.caller.calls(60, 50)
  const by = (status: number): number => first.filter((one) => one.status === status).length
  look('60 callers for 50 places: 50 are answered, 10 get 503', by(200) === 50 && by(503) === 10, first.map(({ status }) => status).join())
  const help = await callsForHelp(stage, phone)
  look('then 911 of a phone is placed', help.reached && help.status === 200, help.status)
  const other = await phone.dials('+12125551234')
  look('and no other call of it', other.answer.status === 503, other.answer.status)
  hangUp(first)
  await pause(1500)
  b.pbx('drain', '--off')
  await until(
    '002 takes calls',
    async () => {
      const one = await stage.caller.calls(2, 50)
      hangUp(one)
      return count(one, b.address) === 1
    },
    10_000,
  )
  await pause(1500)
  const both = await stage.caller.calls(60, 50)
  look(
    'with another box all 60 are answered',
    both.every(({ status }) => status === 200),
    `${count(both, a.address)} and ${count(both, b.address)}`,
  )
  hangUp(both)
  await pause(1500)
  await changed(a, undefined, 5)
  await alone(stage, a)
  const channels = await stage.caller.calls(8, 100)
  look(
    'channels full: 503',
    channels.map(({ status }) => status).join() === '200,200,200,200,200,503,503,503',
    channels.map(({ status }) => status).join(),
  )
  hangUp(channels)
  for (const box of [b, c]) box.pbx('drain', '--off')
  for (const box of [a, b]) await changed(box, undefined, 300)
  await stage.caller.reaches(stage.boxes)
  phone.peer.close()
}

export async function drains(stage: Stage): Promise<void> {
  const [a, b, c] = stage.boxes
  const phone = await Phone.at('10.211.0.41', '101')
  await phone.register()
  stage.document = [{ pause: { seconds: 50 } }, { pause: { seconds: 40 } }]
  const long = await stage.caller.talkAt(a)
  stage.document = [{ gather: { timeout: 60 } }]
  const begun = a.pbx('drain')
  look('a drain without end', begun.code === 0, begun.code === 0 ? '' : begun.out)
  const byOther = await callsOut(stage, phone)
  look('a call of a phone whose box closed a moment ago goes by another one', byOther.reached, byOther.status)
  const body = JSON.stringify({ to: '+15559870000', endpoint: 'app' })
  const { body: made } = await stage.at(a, '/api/voice/originate', { method: 'POST', body })
  await pause(1500)
  const waits = async (): Promise<string> => (await stage.at(a, `/api/voice/calls/${made.callId}`)).body.state
  look('a call that is originated waits', (await waits()) === 'queued', await waits())
  const elsewhere = await callsForHelp(stage, phone)
  look('911 of a phone of that box is placed', elsewhere.reached && elsewhere.status === 200, elsewhere.status)
  await Promise.all([b, c].map((box) => stage.drains(box, true)))
  const closed = performance.now()
  const refused = [(await callsOut(stage, phone)).status]
  const help = await callsForHelp(stage, phone)
  look('911 of a phone is placed from the moment that every box drains', help.reached && help.status === 200, help.status)
  // The edge has seen it of all of them meanwhile.
  while (performance.now() - closed < 5000) {
    refused.push((await callsOut(stage, phone)).status)
    await pause(100)
  }
  look(
    'and its other calls get 503, also before the edge knows',
    refused.every((status) => status === 503),
    `${refused.length} calls: ${[...new Set(refused)].join()}`,
  )
  const later = await callsForHelp(stage, phone)
  look('and 911 is placed when it knows', later.reached && later.status === 200, later.status)
  await a.kill(false)
  a.start()
  const direct = await stage.direct(a)
  await until('its daemon is there again', async () => (await fetch(`${a.api}/healthz`).catch(() => null))?.status === 200, 30_000)
  const [ready, options] = [(await fetch(`${a.api}/readyz`)).status, await stage.options(direct)]
  look('a drain outlives kill -9', ready === 503 && options === 503, `${ready}, ${options}`)
  for (const box of [a, b, c]) box.pbx('drain', '--off')
  await until('it is dialled', async () => (await waits()) !== 'queued', 20_000)
  const dialled = await stage.line.request('INVITE', 10_000).catch(() => null)
  look('--off: what waited is dialled', dialled !== null)
  if (dialled !== null) stage.line.answer(dialled, 486)
  await stage.caller.reaches(stage.boxes)
  hangUp([long])
  await bounded(stage, b)
  await stops(stage, direct)
  direct.close()
  phone.peer.close()
}

/** Calls of 90 s end by themselves; with a time they are ended. */
async function bounded(stage: Stage, box: FleetBox): Promise<void> {
  stage.document = [{ pause: { seconds: 50 } }, { pause: { seconds: 40 } }]
  const long = await stage.caller.talkAt(box)
  const since = performance.now()
  box.pbx('drain', '--for', '60m')
  const bye = (callId: string, ms: number) => stage.line.next('BYE', (m) => m.method === 'BYE' && m.header('Call-ID') === callId, ms)
  const ended = await bye(long.dialog.callId, 100_000).catch(() => null)
  const seconds = Math.round((performance.now() - since) / 1000)
  look('a call of 90 s ends by itself during a drain', ended !== null && seconds >= 85, `${seconds} s`)
  if (ended !== null) stage.line.answer(ended, 200)
  box.pbx('drain', '--off')
  await stage.caller.reaches(stage.boxes)
  const short = await stage.caller.talkAt(box)
  const { items } = (await (await fetch(`${box.api}/api/voice/calls?limit=1`, { headers: bearer })).json()) as {
    items: { callId: string }[]
  }
  box.pbx('drain', '--for', '5s')
  const cut = await bye(short.dialog.callId, 12_000).catch(() => null)
  if (cut !== null) stage.line.answer(cut, 200)
  await pause(500)
  const { endReason } = (await stage.at(box, `/api/voice/calls/${items[0]!.callId}`)).body
  look('--for 5s: what is left gets BYE, and its row says shutdown', cut !== null && endReason === 'shutdown', endReason)
  box.pbx('drain', '--off')
  stage.document = [{ gather: { timeout: 60 } }]
  await stage.caller.reaches(stage.boxes)
}

/** After SIGTERM, while the engine keeps a talk. */
async function stops(stage: Stage, direct: Awaited<ReturnType<Stage['direct']>>): Promise<void> {
  const [a] = stage.boxes
  const phone = await Phone.at('10.211.0.41', '101')
  await phone.register()
  const talk = await stage.talk(phone)
  const seen: number[] = []
  a.signal('SIGTERM')
  const since = performance.now()
  await pause(100)
  while (performance.now() - since < 30_000) {
    seen.push(await stage.options(direct, 300))
    await pause(200)
  }
  look(
    'after SIGTERM no OPTIONS is 200 until the next daemon',
    seen.every((status) => status !== 200),
    [...new Set(seen)].join(),
  )
  a.start()
  await a.ready()
  await stage.caller.reaches(stage.boxes)
  look('with the next daemon it is 200', (await stage.options(direct)) === 200)
  look('the talk was kept', await stage.ends(talk))
  phone.peer.close()
}
