/** Prints what people did next to what the application was sent. */
import { disorderOf } from '../../harness/app.ts'
import type { Desk } from './application.ts'
import type { Box } from './box.ts'
import { faults, Judge, type Verdict } from './judge.ts'
import { Witness } from './witness.ts'

export interface Outcome {
  readonly box: Box
  readonly desk: Desk
  readonly seed: string
  readonly seconds: number
  readonly unanswered: number
}

/** False where something was lost, wrong, sent twice under two ids, out of order, or a call has no end or two. */
export function report({ box, desk, seed, seconds, unanswered }: Outcome): boolean {
  const witness = new Witness(box.witnessFile)
  const calls = [...desk.people.values()].filter(({ answered }) => answered).length
  console.log(`${calls} calls in ${Math.round(seconds)} s, seed ${seed}; ${unanswered} more were not answered`)
  console.log(
    `kill -9 of the daemon ${box.count('daemon')} (another process after ${box.renewed.daemon}), of the engine ${box.count('engine')} ` +
      `(another after ${box.renewed.engine}); clock set ${box.count('clock')} times, which the daemon noticed ${box.stepsNoticed} times`,
  )
  const bad = table(box, desk, witness)
  const order = orderOf(box, desk)
  console.log(
    `\ncalls without call.ended: ${order.unended.length}; with more than one: ${order.twice.length}; ` +
      `out of order: ${order.disorder.length}; other faults: ${order.faults.length}`,
  )
  for (const fault of [...order.disorder, ...order.faults].slice(0, 20)) console.log(fault)
  for (const id of order.unended.slice(0, 5)) console.log(`without an end: ${desk.calls.get(id)} ${id}`)
  const odd = new Set([
    ...bad.names,
    ...order.unended.map((id) => desk.calls.get(id)!),
    ...order.disorder.map((text) => text.split(':')[0]!),
  ])
  for (const name of [...odd].slice(0, 12)) story(box, desk, witness, name)
  const good = bad.lost === 0 && Object.values(order).every((list) => list.length === 0)
  console.log(`${good ? 'nothing was lost' : 'LOST'}: ${bad.lost} of ${bad.all} inputs`)
  return good
}

/** All that is known of one person's call, in the order of time. */
function story({ scene: { app }, blows }: Box, { people, calls }: Desk, witness: Witness, name: string): void {
  const person = people.get(name)
  if (person === undefined) return
  const moments: { at: number; what: string }[] = []
  for (const [n, { kind, ending, asked, done }] of person.steps.entries()) {
    if (asked > 0) moments.push({ at: asked, what: `asked for ${n}: ${kind}, ${ending}` })
    if (done > 0) moments.push({ at: done, what: `${n} was acknowledged` })
  }
  for (const { event, at, path, attempt } of app.received)
    if (calls.get(event.callId) === name)
      moments.push({
        at,
        what: `${event.event} ${event.sequence} ${event.eventId.slice(-6)} ${event.reason ?? ''} ${path}, try ${attempt}`,
      })
  const begin = Math.min(...moments.map(({ at }) => at))
  const end = Math.max(...moments.map(({ at }) => at))
  for (const { kind, at, pid } of blows) if (at > begin - 100 && at < end + 5000) moments.push({ at, what: `--- ${kind} (daemon ${pid})` })
  console.log(`\n${name}`)
  for (const { at, what } of moments.toSorted((a, b) => a.at - b.at)) console.log(`  ${(at - begin).toFixed(0)} ms ${what}`)
  for (const [id, account] of witness.calls) if (calls.get(id) === name) console.log(`  the daemon knew: ${JSON.stringify(account)}`)
}

function table(box: Box, desk: Desk, witness: Witness): { lost: number; all: number; names: string[] } {
  const empty = box.scene.daemon.log.flatMap(({ msg, recordingId }) =>
    msg === 'a recording left no usable file' && typeof recordingId === 'string' ? [recordingId] : [],
  )
  const { calls, people } = desk
  const judge = new Judge({ witness, blows: box.blows, calls, people, empty: new Set(empty) })
  const rows = new Map<string, { count: number; examples: string[]; ages: number[] }>()
  const callIds = new Map([...calls].map(([id, name]) => [name, id]))
  const names: string[] = []
  let lost = 0
  let all = 0
  for (const person of people.values()) {
    for (const { did, told, verdict, beforeKillMs } of judge.judge(person, desk.told.get(person.name) ?? [])) {
      const key = `${did} | ${told} | ${verdict}`
      const row = rows.get(key) ?? { count: 0, examples: [], ages: [] }
      rows.set(key, row)
      row.count += 1
      all += 1
      if (beforeKillMs !== undefined) row.ages.push(beforeKillMs)
      if (!(faults as readonly Verdict[]).includes(verdict)) continue
      lost += 1
      names.push(person.name)
      if (row.examples.length < 3) row.examples.push(`${person.name} ${callIds.get(person.name)}`)
    }
  }
  console.log('what a person did | what the application was told | verdict | times')
  for (const [key, { count, examples, ages }] of [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const before = ages.length === 0 ? '' : ` (acknowledged at most ${Math.max(...ages).toFixed(0)} ms before)`
    console.log(`${key} | ${count}${before}${examples.length === 0 ? '' : ` (${examples.join(', ')})`}`)
  }
  return { lost, all, names }
}

function orderOf({ scene: { app } }: Box, { calls, ended }: Desk) {
  const events = new Map<string, any[]>()
  const known = new Set<string>()
  for (const { event } of app.received) {
    if (known.has(event.eventId)) continue
    known.add(event.eventId)
    const all = events.get(event.callId)
    if (all === undefined) events.set(event.callId, [event])
    else all.push(event)
  }
  const ids = [...calls.keys()]
  return {
    unended: ids.filter((id) => !ended.has(id)),
    twice: ids.filter((id) => (ended.get(id)?.size ?? 0) > 1),
    disorder: ids.flatMap((id) => disorderOf(events.get(id) ?? []).map((fault) => `${calls.get(id)}: ${fault}`)),
    // The clock of the box is set on purpose.
    faults: app.faults.filter((fault) => !fault.includes('timestamp is')),
  }
}
