/** Thousands of streams, one after the other: what is left of them in the memory of the daemon a minute after the last. */
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Dialog, SipPeer } from '../../engine/sip-peer.ts'
import { sdp } from '../../engine/sip-text.ts'
import { freePort, root } from '../../harness/daemon.ts'
import { residentKb } from '../../harness/processes.ts'
import { Scene, eventually, pause } from '../../harness/scene.ts'
import { StreamServer, type Manner } from '../../harness/streams/server.ts'
import { tonePiece } from '../../harness/streams/tones.ts'
import { reaching, streamDocument } from './sides.ts'

export interface MemoryOptions {
  readonly streams: number
  readonly restSeconds: number
}

const warmUp = 200
const atOnce = 8
/** Of what was resident after the first few, in memory of the process itself. */
const mostGrown = 0.2

/** Says a second with a mark, hears a few frames, and leaves. */
const short: Manner = (session) => {
  let heard = 0
  session.onFrame(({ frame }) => {
    if (frame['event'] !== 'media') return
    heard += 1
    if (heard === 1) {
      session.media(tonePiece(0, 8000))
      session.mark('said')
    }
    if (heard === 15) session.close(1000)
  })
}

interface Memory {
  /** What the process has for itself. */
  readonly ownMb: number
  /** Of that, what malloc has: the program's heap and the arenas of its threads. */
  readonly mallocMb: number
  /** Pages of the store that it has looked at: the kernel's, which takes them back when it needs them. */
  readonly storeMb: number
  readonly rssMb: number
  readonly heapMb: number
  readonly outsideMb: number
}

/** What is resident, in kB, by what it is mapped from (proc(5), smaps): "" is memory of the process itself without a name. */
function residentByFile(pid: number): Map<string, number> {
  const found = new Map<string, number>()
  let name = ''
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const mapping = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)$/.exec(line)
    if (mapping !== null) name = mapping[1]!
    const rss = /^Rss:\s+(\d+) kB/.exec(line)
    if (rss !== null) found.set(name, (found.get(name) ?? 0) + Number(rss[1]))
  }
  return found
}

const anonymousKb = (pid: number): number => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
const mb = (bytes: number): number => Math.round((bytes / 1048576) * 10) / 10

export async function memory({ streams, restSeconds }: MemoryOptions, tell: (line: string) => void): Promise<boolean> {
  const port = await freePort()
  const file = join(tmpdir(), `pbxd-memory-${process.pid}.json`)
  const scene = await Scene.open({
    compiled: true,
    nodeArguments: ['--import', join(root, 'test', 'proofs', 'stream', 'memory-probe.ts')],
    env: { PBXD_MEMORY: file },
    settings: reaching(port),
  })
  const server = await StreamServer.open(short, { port, lossy: true })
  scene.app.script = (event) =>
    event.event === 'call.inbound.pre_route' ? streamDocument(`${server.url}/media`, { drainOnClose: false }) : []
  const now = async (): Promise<Memory> => {
    rmSync(file, { force: true })
    scene.daemon.signal('SIGUSR2')
    let read: NodeJS.MemoryUsage | undefined
    await eventually('the probe has written', () => {
      try {
        read = JSON.parse(readFileSync(file, 'utf8')) as NodeJS.MemoryUsage
      } catch {
        return false
      }
      return true
    })
    const { heapTotal, external } = read!
    const byFile = residentByFile(scene.daemon.pid)
    return {
      mallocMb: mb((byFile.get('[heap]') ?? 0) * 1024),
      storeMb: mb([...byFile].reduce((sum, [name, kb]) => sum + (name.endsWith('.mdb') ? kb : 0), 0) * 1024),
      ownMb: mb(anonymousKb(scene.daemon.pid) * 1024),
      rssMb: mb(residentKb(scene.daemon.pid) * 1024),
      heapMb: mb(heapTotal),
      outsideMb: mb(external),
    }
  }
  const said = (what: string, { ownMb, mallocMb, storeMb, rssMb, heapMb, outsideMb }: Memory): void =>
    tell(
      `${what}: ${ownMb} MB of its own (heap of V8 ${heapMb}, outside of it ${outsideMb}, malloc ${mallocMb}); ` +
        `with pages of files ${rssMb}, of the store ${storeMb}`,
    )
  try {
    const callers = await Promise.all(Array.from({ length: atOnce }, () => SipPeer.udp(scene.daemon.sipPort)))
    let left = 0
    let done = 0
    const go = async (peer: SipPeer): Promise<void> => {
      while (left > 0) {
        left -= 1
        const call = new Dialog(peer)
        call.invite('+15550001000', { body: sdp(40_000) })
        await call.answered(20_000)
        peer.answer(await peer.request('BYE', 30_000), 200)
        peer.received.length = 0
        server.sessions.length = 0
        scene.app.received.length = 0
        done += 1
        if (done % 500 === 0) said(`after ${done} streams`, await now())
      }
    }
    const play = async (count: number): Promise<void> => {
      left = count
      await Promise.all(callers.map(go))
    }
    await play(warmUp)
    await pause(restSeconds * 1000)
    const before = await now()
    said(`${warmUp} streams, and ${restSeconds} s`, before)
    done = 0
    await play(streams)
    said('after the last', await now())
    await pause(restSeconds * 1000)
    const after = await now()
    said(`${restSeconds} s later`, after)
    for (const peer of callers) peer.close()
    // Pages of the store, where each call has its rows, are the kernel's, which takes them back.
    const grown = (after.ownMb - before.ownMb) / before.rssMb
    tell(`${Math.round(grown * 100)} % more than before; at most ${mostGrown * 100} % may be`)
    return grown <= mostGrown
  } finally {
    await server.close()
    await scene.close()
    rmSync(file, { force: true })
  }
}
