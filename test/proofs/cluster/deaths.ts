/** Boxes that die in each way, under 20 calls a second: what is lost, who waits, and whether talks live on. */
import type { FleetBox } from '../../../scripts/cluster/fleet.ts'
import { edge, until } from '../../../scripts/cluster/fleet.ts'
import { count, hangUp, look, slowest, type Outcome } from '../../cluster/caller.ts'
import { pause } from '../../harness/waiting.ts'
import { lives, Phone, type Stage } from './stage.ts'

const everyMs = 50
const waitMs = 2000
const turnMs = 3000

export async function deaths(stage: Stage): Promise<void> {
  const [a, b, c] = stage.boxes
  const all = await stage.caller.calls(300, everyMs)
  look(
    '300 calls over three boxes, 20 a second: all are answered',
    all.every(({ status }) => status === 200),
    shares(stage, all),
  )
  look('no sound is at the edge', count(all, edge) === 0)
  hangUp(all)
  await pause(1000)
  await dies(
    stage,
    'kill -9 of a box',
    a,
    () => a.kill(true),
    () => stage.back(a),
  )
  await dies(
    stage,
    'the cable of a box is pulled',
    b,
    async () => stage.fleet.cable(b.id, false),
    async () => {
      stage.fleet.cable(b.id, true)
      await stage.caller.reaches(stage.boxes)
    },
  )
  await daemon(
    stage,
    a,
    { what: 'kill -9 of pbxd alone', closedWithinMs: 2000 },
    () => a.kill(false),
    async () => (a.start(), await a.ready()),
  )
  await daemon(
    stage,
    a,
    { what: 'SIGSTOP of pbxd', closedWithinMs: 3000 },
    async () => a.signal('SIGSTOP'),
    async () => a.signal('SIGCONT'),
  )
  await drained(stage, c)
}

/** The whole box. */
async function dies(stage: Stage, what: string, box: FleetBox, end: () => Promise<void>, back: () => Promise<void>): Promise<void> {
  let since = 0
  let ended: Promise<void> | undefined
  const began: number[] = []
  const all = await stage.caller.calls(300, everyMs, (n) => {
    began[n] = performance.now()
    if (n !== 60) return
    since = performance.now()
    ended = end()
  })
  await ended
  const lost = all.filter(({ status }) => status !== 200)
  const served = all.filter(({ status }) => status === 200)
  const late = served.filter(({ tookMs }) => tookMs > 1000)
  const lastLate = Math.max(0, ...all.flatMap(({ tookMs }, n) => (tookMs > 1000 ? [Math.round(began[n]! - since)] : [])))
  look(
    `${what}: only calls that it had rung are lost`,
    lost.every(({ rang }) => rang),
    `${lost.length} of ${all.length}; ${shares(stage, all)}`,
  )
  look(`${what}: others wait at most 2 s`, slowest(served) <= waitMs, `${late.length} waited, the longest ${slowest(served)} ms`)
  look(`${what}: it is out of turn within 3 s`, lastLate <= turnMs, `the last call that waited began ${lastLate} ms after`)
  hangUp(served)
  await back()
  look(`${what}: afterwards it has its share again`, true)
  void box
}

/** pbxd alone, while its engine keeps a talk. */
async function daemon(
  stage: Stage,
  box: FleetBox,
  { what, closedWithinMs }: { readonly what: string; readonly closedWithinMs: number },
  end: () => Promise<void>,
  back: () => Promise<void>,
): Promise<void> {
  const phone = await Phone.at('10.211.0.41', '101')
  await phone.register()
  const talk = await stage.talk(phone)
  look(`${what}: before, the talk is heard both ways`, lives(await stage.heard(talk)))
  const direct = await stage.direct(box)
  let closedMs = Infinity
  const all = await stage.caller.calls(200, everyMs, (n) => {
    if (n !== 40) return
    const since = performance.now()
    void end().then(async () => {
      closedMs = await until('OPTIONS is 503', async () => (await stage.options(direct, 200)) === 503, 10_000).then(() =>
        Math.round(performance.now() - since),
      )
    })
  })
  look(
    `${what}: no call is lost`,
    all.every(({ status }) => status === 200),
    shares(stage, all),
  )
  look(`${what}: none waits 4 s`, slowest(all) < 4000, `the longest ${slowest(all)} ms`)
  look(`${what}: OPTIONS is 503 within ${closedWithinMs / 1000} s`, closedMs <= closedWithinMs, `${closedMs} ms`)
  look(`${what}: later ones go elsewhere`, count(all.slice(-60), box.address) === 0, count(all.slice(-60), box.address))
  const meanwhile = await stage.heard(talk)
  look(`${what}: the talk lives on meanwhile`, lives(meanwhile), meanwhile.join())
  hangUp(all)
  await back()
  await stage.caller.reaches(stage.boxes)
  const after = await stage.heard(talk)
  look(`${what}: and afterwards`, lives(after), after.join())
  look(`${what}: its hang-up reaches the other side`, await stage.ends(talk))
  direct.close()
  phone.peer.close()
}

async function drained(stage: Stage, box: FleetBox): Promise<void> {
  let at = 0
  const all = await stage.caller.calls(200, everyMs, (n) => {
    if (n === 60) at = box.pbx('drain').code === 0 ? n : 0
  })
  look('a drain under 20 calls a second loses none', at === 60 && all.every(({ status }) => status === 200), shares(stage, all))
  look('a drain: no call waits', slowest(all) < 1000, `the longest ${slowest(all)} ms`)
  look('a drain: later calls go elsewhere', count(all.slice(-60), box.address) === 0)
  hangUp(all)
  box.pbx('drain', '--off')
  await stage.caller.reaches(stage.boxes)
}

function shares(stage: Stage, all: readonly Outcome[]): string {
  return stage.boxes.map(({ id, address }) => `${id}: ${count(all, address)}`).join(', ')
}
