/**
 * Builds pbx-engine and PJSIP under the thread sanitizer and lets calls come, change and go at once: half of the time through a
 * far end that answers within microseconds (test/engine/instant-peer.c) and one that speaks by the book, with random orders of
 * the daemon for every call, and half of the time through the fuzzer of the SIP half. What is looked for are two threads at the
 * same data, calls without an end, and calls that were ended in place of another. What harms nothing is named in races.txt, each with
 * its reason; every other report counts, wherever it is. The order of locks is not judged: PJSIP tries where it would turn it around.
 * The first build takes some minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { run } from './fax.ts'
import { Random } from '../../../scripts/cli/selftest/corpus.ts'
import type { SipFuzzOptions } from './sip.ts'

const root = join(import.meta.dirname, '../../..')
const source = join(root, 'drivers/sip/engine')
const built = join(root, '.cache/engine-tsan')
const program = join(built, 'pbx-engine')
const standing = 10
const mostAtOnce = 40
/** Under the sanitizer, on a machine that has more to do. */
const endWithinMs = 40_000

/** Resolves with 0 when nothing was found. */
export async function fuzzRaces({ seconds, seed }: SipFuzzOptions): Promise<number> {
  process.stdout.write('building pbx-engine under the thread sanitizer\n')
  const made = await run('make', ['-s', '-C', source, 'SANITIZE=thread', '-j2', program, 'fuzz'])
  if (made !== 0) return made
  process.env['TSAN_OPTIONS'] ??= `exitcode=0:history_size=7:detect_deadlocks=0:suppressions=${join(import.meta.dirname, 'races.txt')}`
  // Read when the engine's harness is loaded.
  process.env['PBX_ENGINE'] = program
  const half = Math.ceil(seconds / 2)
  const churned = await churn(half, new Random(seed))
  const fuzzed = await run(join(built, 'sip-fuzz'), [program, '--seconds', String(half), '--seed', String(seed)])
  return churned === 0 ? fuzzed : churned
}

async function churn(seconds: number, random: Random): Promise<number> {
  const { Engine, extension, trunk } = await import('../../engine/engine.ts')
  const { InstantPeer } = await import('../../engine/instant.ts')
  const { Dialog, SipPeer } = await import('../../engine/sip-peer.ts')
  const { sdp } = await import('../../engine/sip-text.ts')
  const folder = mkdtempSync(join(tmpdir(), 'pbxd-fuzz-races-'))
  const instant = await InstantPeer.open()
  const engine = await Engine.start({ rtpPorts: [20_000, 29_998], mediaTimeoutSeconds: 36_000 })
  const peer = await SipPeer.udp(engine.port())
  const lines = [trunk(`127.0.0.1:${instant.port}`, { id: 'instant' }), trunk(`127.0.0.1:${peer.port}`, { keepAliveSeconds: 1 })]
  await engine.configure({ trunks: lines, extensions: [extension('101', 'a-password')] })

  const open = new Map<number, number>() // leg -> when it is to end
  const counts = { dialled: 0, arrived: 0, ended: 0, orders: 0 }
  const faults: string[] = []
  const dial = (to: string, timeout = 2): number => {
    const leg = engine.dial({ trunk: 'instant', to, timeout, fax: random.chance(0.1) })
    counts.dialled += 1
    return leg
  }
  const dialSome = (): void => {
    const leg = dial(random.pick(['486', '486', '486', '404', '2001', '2001', '1800', '2002']))
    open.set(leg, performance.now() + endWithinMs)
  }
  const arrive = async (): Promise<void> => {
    const call = new Dialog(peer)
    const offer = random.chance(0.9)
    call.invite('101', offer ? { body: sdp(9, { codecs: random.pick(['0 101', '8', '9 101', '18']) }) } : {})
    if (random.chance(0.2)) call.send('CANCEL')
    const final = await call.final('INVITE', 20_000).catch(() => undefined)
    if (final === undefined) return
    call.learn(final)
    if (random.chance(0.9)) call.send('ACK', offer ? {} : { body: sdp(9) })
    if (final.status !== 200) return
    for (let changes = random.integer(4); changes > 0; changes--) {
      await delay(random.integer(100))
      call.send(random.pick(['INVITE', 'INVITE', 'UPDATE', 'INFO', 'OPTIONS']), {
        body: sdp(9, { direction: random.pick(['sendrecv', 'sendonly', 'inactive']) }),
      })
      if (random.chance(0.8)) call.send('ACK')
    }
    if (random.chance(0.8)) call.send('BYE')
  }
  /** Its requests are answered as they come, mostly. */
  const serve = (): void => {
    for (const message of peer.received.splice(0)) {
      if (message.status > 0) continue
      if (message.method === 'INVITE') peer.answer(message, random.pick([200, 200, 200, 491, 488, 500]), { body: sdp(9) })
      else if (message.method !== 'ACK' && random.chance(0.95)) peer.answer(message, 200)
    }
  }
  const order = (leg: number): void => {
    const all = [...open.keys()]
    const on = random.chance(0.5)
    const orders: readonly (readonly [string, object])[] = [
      ['answer', {}],
      ['answer', {}],
      ['take', {}],
      ['progress', { code: on ? 180 : 183 }],
      ['reject', { code: 486 }],
      ['hangup', {}],
      ['hold', { on }],
      ['hold', { on }],
      ['digits', { digits: '12', method: random.pick(['', 'info', 'inband']) }],
      ['play', { play: 1, tone: { hz: [440], ms: 200 } }],
      ['play', { play: 2, stream: true }],
      ['clear', {}],
      ['record', { record: 1, file: join(folder, `${leg}.wav`), maxMs: 500 }],
      ['recordStop', { record: 1 }],
      ['listen', { on }],
      ['tap', { on }],
      ['tones', { on }],
      ['refer', { to: '102' }],
      ['transfers', { on }],
      ['referProgress', { refer: random.pick([1, 2, 3]), code: on ? 180 : 200 }],
      ['join', { bridge: random.pick([1, 2, 3]), hears: true, speaks: true }],
      ['leave', {}],
      ['faxReceive', { file: join(folder, `${leg}.tif`), stationId: '', ecm: true, modems: ['v17'], t38: on }],
      ['faxStop', {}],
    ]
    const [t, members] = random.pick(orders)
    counts.orders += 1
    engine.send(t, { leg, ...members })
  }
  const read = (): void => {
    engine.audio.length = 0
    for (const message of engine.messages.splice(0)) {
      const leg = Number(message['leg'])
      if (message.t === 'invite') {
        counts.arrived += 1
        open.set(leg, performance.now() + endWithinMs)
        if (random.chance(0.7)) engine.send('answer', { leg })
      } else if (message.t === 'ended') {
        counts.ended += 1
        if (!open.delete(leg)) faults.push(`leg ${leg} ended, which was to stand or had ended before`)
      }
    }
    for (const [leg, until] of open) {
      if (performance.now() < until) continue
      open.delete(leg)
      faults.push(`leg ${leg} did not end`)
    }
  }

  for (let n = 0; n < standing; n++) dial('2000', 30)
  await delay(3000)
  engine.messages.length = 0
  const until = performance.now() + seconds * 1000
  const arriving = new Set<Promise<void>>()
  let beat = 0
  while (performance.now() < until && faults.length < 20 && engine.child.exitCode === null) {
    beat += 1
    for (let some = random.integer(6); some > 0 && open.size < mostAtOnce; some--) dialSome()
    if (arriving.size < 10) {
      const call = arrive()
      arriving.add(call)
      void call.finally(() => arriving.delete(call))
    }
    for (const leg of open.keys()) if (random.chance(0.4)) order(leg)
    for (const leg of open.keys()) if (random.chance(0.05)) engine.send('hangup', { leg })
    if (beat % 50 === 0)
      engine.send('configure', {
        ...engine.configuration,
        trunks: random.chance(0.5) ? lines : [...lines, trunk('127.0.0.1:9', { id: 'other', register: true, username: 'u' })],
      })
    if (beat % 10 === 0) engine.send('ping', { n: beat })
    await delay(20)
    serve()
    read()
  }
  for (
    const rest = performance.now() + endWithinMs;
    open.size > 0 && performance.now() < rest && engine.child.exitCode === null;
    await delay(100)
  ) {
    for (const leg of open.keys()) engine.send('hangup', { leg })
    serve()
    read()
  }
  const report = await instant.report()
  if (report.byes > 0) faults.push(`${report.byes} calls that were to stand were hung up`)
  if (engine.child.exitCode !== null) faults.push(`the engine ended by itself: ${JSON.stringify(await engine.exit)}`)
  await engine.stop()
  await instant.close()
  peer.close()
  rmSync(folder, { recursive: true, force: true })
  process.stdout.write(`${counts.dialled} calls dialled, ${counts.arrived} arrived, ${counts.ended} ended, ${counts.orders} orders\n`)
  const reports = told(engine.output)
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  process.stdout.write(`${reports} sanitizer reports, ${faults.length} faults\n`)
  return reports + faults.length > 0 ? 1 : 0
}

/** Prints each place that the sanitizer named, with its first report; the number of places. */
function told(output: string): number {
  const places = new Map<string, { times: number; first: string }>()
  for (const block of output.split('==================')) {
    const summary = /^SUMMARY: ThreadSanitizer.*$/m.exec(block)?.[0]
    if (summary === undefined) continue
    const place = places.get(summary)
    if (place === undefined) places.set(summary, { times: 1, first: block })
    else place.times += 1
  }
  for (const [summary, { times, first }] of places) process.stdout.write(`${first}${times} x ${summary}\n`)
  return places.size
}
