/**
 * Texts, the inbox and reminders. Durable POSTs of texts and polls of a large inbox are set against the same routes on Fastify and
 * better-sqlite3 (folder peer), on the same disk, by the same client, in turns. The peer's packages are installed on demand.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Feed } from '../../../daemon/inbox/feed.ts'
import { newId } from '../../../daemon/base/ids.ts'
import { createLog } from '../../../daemon/base/log.ts'
import { openStore } from '../../../daemon/store/store.ts'
import type { InboxSmsRow } from '../../../daemon/store/tables.ts'
import { systemClock } from '../../../daemon/base/clock.ts'
import { root } from '../../harness/daemon.ts'
import { eventually, Scene } from '../../harness/scene.ts'
import { serve } from './answered.ts'
import { compare, hammer } from './load.ts'
import { atMost, describe, fact, spread, type Measurement, type Row } from './measure.ts'
import { installPeer } from './peer-packages.ts'
import { generous } from './stage.ts'

const connections = 32
const rounds = 5
const posts = 1500
const polls = 3000
const inboxItems = 100_000
const firstSeq = 1_772_460_311_000
const peerToken = 'token-of-the-peer'
/** Seen from this folder. */
const peerProgram = join('../../../scripts', '../../../scripts', '.cache', 'bench-peer', 'server.mjs')

/** The box with a text trunk at the port; `items` received texts are there before it starts. */
async function openBox(carrierPort: number, items: number): Promise<Scene> {
  const scene = await Scene.open(
    {
      compiled: true,
      settings: (base) => {
        base['limits'] = generous
        base['log'] = { level: 'warn' }
        const carrier = { id: 'carrier', kind: 'smpp', server: `127.0.0.1:${carrierPort}`, systemId: 'clinic', window: 100 }
        base['sms'] = { trunks: [carrier], queue: 100_000 }
      },
    },
    false,
  )
  const store = await openStore(join(scene.daemon.dir, 'var', 'store'), createLog({ level: 'error' }))
  const { inboxSms, meta } = store.tables
  const clock = { ...systemClock, now: () => firstSeq }
  const feed = new Feed<InboxSmsRow>('sms', { items: inboxSms, meta, transaction: (work) => store.transaction(work) }, clock)
  const common = {
    from: '+15551230001',
    to: '+15550001999',
    sha256: '',
    bytes: 0,
    segments: 1,
    encoding: 'GSM-7',
    trunkId: 'main',
  } as const
  for (let from = 0; from < items; from += 5000) {
    await store.transaction(() => {
      for (let n = from; n < from + 5000; n++) {
        // As if they came in now: what is old leaves the inbox.
        feed.insert({ ...common, id: newId(), receivedAt: Date.now(), body: `Can I come at ten? ${n}` })
      }
    })
  }
  await store.close()
  await scene.daemon.start()
  return scene
}

const text = { method: 'POST', path: '/api/sms', connections } as const
const oneText = { ...text, requests: posts, body: JSON.stringify({ to: '{n}', message: 'Your appointment is tomorrow at 10:00.' }) }
/** Another recipient for each text: those to one number wait for each other. */
const numbersOf = (round: number) => ({ first: 5_551_230_000 + round * posts, step: 1, modulo: posts })

async function texts(): Promise<Row[]> {
  installPeer()
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-peer-'))
  const storing = join(dir, 'storing')
  mkdirSync(storing)
  const smppFile = createRequire(import.meta.url).resolve('smpp')
  const [ourCarrier, theirCarrier] = [await serve('carrier.ts'), await serve('carrier.ts')]
  const peer = await serve(peerProgram, dir, peerToken, '0', smppFile, String(theirCarrier.port))
  const store = await serve(peerProgram, storing, peerToken, '0')
  const scene = await openBox(ourCarrier.port, 0)
  try {
    const port = Number(new URL(scene.daemon.http).port)
    await eventually('the trunk is ready', async () => (await scene.daemon.api('GET', '/readyz')).body.parts?.sms?.ok === true)
    const rows = await compare({
      rounds,
      warmUp: true,
      ours: (round) => ({ ...oneText, port, token: scene.daemon.token, numbers: numbersOf(round) }),
      theirs: (round) => ({ ...oneText, port: peer.port, token: peerToken, numbers: numbersOf(round) }),
      what: 'POST /api/sms, ratio to the peer',
      target: 1,
      names: ['pbxd: stored, handed to SMPP, answered', 'Fastify + better-sqlite3, the same'],
    })
    const bare = await hammer({ ...oneText, port: store.port, token: peerToken, numbers: numbersOf(0) })
    rows.push(fact('Fastify + better-sqlite3 that only stores', `${bare.perSecond.toFixed(0)}/s`, 'one round'))
    const many = Array.from({ length: 100 }, (_, n) => `{n}${String(n).padStart(2, '0')}`)
    const numbers = { first: 55_598_700, step: 1, modulo: 100 }
    const bulk = { ...text, requests: 60, connections: 4, numbers, body: JSON.stringify({ to: many, message: 'We are closed tomorrow.' }) }
    const ours = await hammer({ ...bulk, port, token: scene.daemon.token })
    const theirs = await hammer({ ...bulk, port: peer.port, token: peerToken })
    const note = `peer ${(theirs.perSecond * 100).toFixed(0)}/s; ${JSON.stringify(ours.statuses)}`
    rows.push(fact('texts a second, 100 recipients in one POST', `${(ours.perSecond * 100).toFixed(0)}/s`, note))
    rows.push(...(await reminders(scene)))
    return rows
  } finally {
    for (const one of [ourCarrier, theirCarrier, peer, store]) one.close()
    await scene.daemon.kill()
    await scene.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function reminders(scene: Scene): Promise<Row[]> {
  const times: number[] = []
  for (let turn = 0; turn < 6; turn++) {
    const at = Date.now() + 5 * 86_400_000
    const list = Array.from({ length: 500 }, (_, n) => ({
      customerName: `Person ${n}`,
      phoneNumber: `+1555${String(2_000_000 + turn * 500 + n)}`,
      appointmentAt: new Date(at + n * 60_000).toISOString(),
      externalRef: `R-${turn}-${n}`,
    }))
    const began = performance.now()
    const { status, body } = await scene.daemon.api('POST', '/api/reminders', list)
    times.push(performance.now() - began)
    if (status !== 200 || body.accepted !== 500)
      throw new Error(`the reminders were answered ${status}: ${JSON.stringify(body).slice(0, 300)}`)
  }
  const seen = spread(times)
  return [atMost('500 reminders in one POST', 1000, 'ms', seen.p50, `first ${times[0]?.toFixed(0)} ms; ${describe(seen)}`)]
}

async function inbox(): Promise<Row[]> {
  installPeer()
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-peer-'))
  const carrier = await serve('carrier.ts')
  const peer = await serve(peerProgram, dir, peerToken, String(inboxItems))
  const scene = await openBox(carrier.port, inboxItems)
  try {
    const port = Number(new URL(scene.daemon.http).port)
    // All over the inbox; 53 has no factor in common with the number of places.
    const numbers = { first: firstSeq, step: 53, modulo: inboxItems - 100 }
    const job = { method: 'GET', path: '/api/inbox/sms?since={n}&limit=50', requests: polls, connections, numbers } as const
    return await compare({
      rounds,
      warmUp: true,
      ours: () => ({ ...job, port, token: scene.daemon.token }),
      theirs: () => ({ ...job, port: peer.port, token: peerToken }),
      what: `GET /api/inbox/sms, 50 of ${inboxItems}, ratio to the peer`,
      target: 1,
      names: ['pbxd', 'Fastify + better-sqlite3'],
    })
  } finally {
    carrier.close()
    peer.close()
    await scene.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The driver of a GSM modem, alone in a process; the modem is simulated in another. */
function modem(): Row[] {
  const program = join(root, 'test', 'proofs', 'bench', 'modem-rest.ts')
  const out = execFileSync(process.execPath, [program, '20'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  const { cpuPercent, residentMiB, addedMiB } = JSON.parse(out.trim().split('\n').at(-1) ?? '') as Record<string, number>
  return [
    atMost('GSM modem driver at rest, processor', 1, '%', cpuPercent ?? NaN, 'of one core, 20 s'),
    fact('GSM modem driver at rest, memory', `${residentMiB?.toFixed(0)} MB`, `${addedMiB?.toFixed(0)} MB more than Node without it`),
  ]
}

export const messaging: Measurement = {
  name: 'messaging',
  title: `Texts, inbox, reminders (${connections} connections, ${rounds} rounds of ${posts} POSTs and of ${polls} GETs)`,
  run: async () => [...(await texts()), ...(await inbox()), ...modem()],
}
