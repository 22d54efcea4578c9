/** 200 texts over three boxes while boxes die and a cable is out: the one poller has each once, and those of each box in order. */
import { token as newCallId } from '../../engine/sip-peer.ts'
import { edge, until } from '../../../scripts/cluster/fleet.ts'
import { look } from '../../cluster/caller.ts'
import { pause } from '../../harness/waiting.ts'
import type { Stage } from './stage.ts'

export const textCount = 200

interface Seen {
  readonly id: string
  readonly body: string
  readonly box: string
  readonly receivedAt: string
}

export async function texts(stage: Stage, many = textCount): Promise<void> {
  const [a, b, c] = stage.boxes
  const { line, fleet } = stage
  const seen: Seen[] = []
  let cursor = 0
  let away = 0
  let polling = true
  const poll = async (): Promise<number> => {
    const got = await fleet.api('GET', `/api/inbox/sms?since=${cursor}&limit=7`).catch(() => null)
    if (got?.status !== 200) {
      away += 1
      return 0
    }
    cursor = got.body.nextSince
    seen.push(...got.body.items.map(({ id, body, box = a.id, receivedAt }: Seen) => ({ id, body, box, receivedAt })))
    return got.body.items.length
  }
  // What came before is nobody's business here.
  while ((await poll()) > 0);
  seen.length = 0
  const poller = (async () => {
    while (polling) if ((await poll()) === 0) await pause(200)
  })()
  /** Sent without an answer: it may be there, and its sender sends it again. */
  const unanswered = new Set<string>()
  const send = async (body: string): Promise<void> => {
    const callId = newCallId()
    for (let tries = 0; tries < 40; tries++) {
      const answer = await line.ask('MESSAGE', `sip:+15550001000@${edge}`, {
        from: 'sip:+15551230001@pbx',
        type: 'text/plain',
        body,
        callId,
        cseq: tries + 1,
        ms: 2500,
      })
      if (answer?.status === 200) return
      if (answer === undefined || answer.status === 408) unanswered.add(body)
      await pause(200)
    }
    look('a text is taken', false, body)
  }
  const step = Math.floor(many / 8)
  const events: Readonly<Record<number, () => unknown>> = {
    [step]: () => c.kill(true),
    [2 * step]: () => (c.start(), c.ready()),
    [3 * step]: () => a.kill(true),
    [4 * step]: () => (a.start(), a.ready()),
    [5 * step]: () => fleet.cable(b.id, false),
    [6 * step]: () => fleet.cable(b.id, true),
    [7 * step]: () => b.kill(false).then(() => (b.start(), b.ready())),
  }
  const under: Promise<unknown>[] = []
  for (let n = 0; n < many; n++) {
    const event = events[n]
    if (event !== undefined) under.push(Promise.resolve(event()))
    await send(`Text number ${n}`)
    await pause(50)
  }
  await Promise.all(under)
  await until('the poller has all', async () => new Set(seen.map(({ body }) => body)).size >= many, 60_000).catch(() => undefined)
  await pause(5000)
  polling = false
  await poller
  const bodies = seen.map(({ body }) => body)
  const missing = Array.from({ length: many }, (_, n) => `Text number ${n}`).filter((body) => !bodies.includes(body))
  const twice = bodies.filter((body, at) => bodies.indexOf(body) !== at)
  look(
    `${many} texts, two boxes killed, one cut off, one daemon killed: none is missing at the poller`,
    missing.length === 0,
    missing.join() || `${away} polls got no page meanwhile`,
  )
  look('no item comes twice', new Set(seen.map(({ id }) => id)).size === seen.length)
  look(
    'no text comes twice but one whose sender got no answer',
    twice.every((body) => unanswered.has(body)),
    `${unanswered.size} had no answer at first, ${twice.length} came twice`,
  )
  for (const { id } of [a, b, c]) {
    const order = seen.filter(({ box }) => box === id).map(({ id: item }) => item)
    look(`those of box ${id} come in order`, order.length > 0 && order.every((item, at) => at === 0 || item > order[at - 1]!), order.length)
  }
  await deleted(stage, seen.find(({ box }) => box === b.id)!.id)
  await stage.caller.reaches(stage.boxes)
}

/** Through the edge, which sends it to the box of the inbox. */
async function deleted({ fleet, boxes: [a, b] }: Stage, id: string): Promise<void> {
  const { status, box } = await fleet.api('DELETE', `/api/inbox/sms/${id}`)
  const at = async (api: string): Promise<number> =>
    (await fetch(`${api}/api/inbox/sms/${id}`, { headers: { authorization: `Bearer fleet-0123456789abcdef` } })).status
  const after = [await at(a.api), await at(b.api)]
  look(
    'a deletion through the edge is carried out at both boxes',
    status === 204 && box === a.id && after.join() === '410,410',
    `${status} ${box}, then ${after.join()}`,
  )
}
