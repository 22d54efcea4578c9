/**
 * The programs in the race: pbxd with an application in another process, Asterisk with a dial plan, Asterisk with an ARI application in
 * another process, and, as the floor, a loop that moves the same packets and does nothing else.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compiled } from '../../../engine/instant.ts'
import { endWithUs } from '../../../harness/processes.ts'
import { root } from '../../../harness/daemon.ts'
import { serve } from '../../bench/answered.ts'
import { processesOf, stage } from '../../bench/stage.ts'
import { Asterisk } from '../peers/asterisk.ts'
import { ariKey, loadFrom } from '../peers/asterisk-settings.ts'

export interface Target {
  /** Where sipp calls, and from which address. */
  readonly host: string
  readonly port: number
  readonly from: string
  /** Its processes by name; those of the application are not among them. */
  processes(): Readonly<Record<string, readonly number[]>>
  /** Where nobody can be called: sends to so many phones of a meter, without any SIP. */
  send?(meter: number, calls: number): Promise<void>
  close(): Promise<void>
}

const text = 'Please hold the line. The next free member of our staff will speak to you.'
const long = { say: { text, loop: 10 } }

async function pbxd(): Promise<Target> {
  const app = await serve('application.ts', JSON.stringify([long, long, long]))
  const scene = await stage({ appUrl: `http://127.0.0.1:${app.port}` })
  return {
    host: '127.0.0.1',
    port: scene.daemon.sipPort,
    from: '127.0.0.1',
    processes: processesOf(scene.daemon),
    close: async () => {
      await scene.close()
      app.close()
    },
  }
}

async function asterisk(context: keyof typeof loadFrom): Promise<Target & { readonly asterisk: Asterisk }> {
  const own = await Asterisk.start({ quiet: true })
  return {
    asterisk: own,
    host: own.places.host,
    port: own.places.udp,
    from: loadFrom[context],
    processes: () => ({ asterisk: [own.pid] }),
    close: () => own.close(),
  }
}

async function ari(): Promise<Target> {
  const target = await asterisk('ari')
  const { host, http } = target.asterisk.places
  const words = [join(root, 'test/proofs/trunks/bench/ari-application.ts'), `http://${host}:${http}`, ariKey]
  const app = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  endWithUs(app)
  await new Promise<void>((resolve, reject) => {
    app.stdout.once('data', () => resolve())
    app.once('exit', () => reject(new Error('the ARI application ended')))
  })
  return { ...target, close: async () => (app.kill('SIGKILL'), await target.close()) }
}

async function bare(): Promise<Target> {
  const from = '127.0.0.1'
  let child: ChildProcess | undefined
  return {
    host: from,
    port: 0,
    from,
    processes: () => ({ loop: child?.pid === undefined ? [] : [child.pid] }),
    send: async (meter, calls) => {
      child = spawn(compiled('bare-rtp', [], import.meta.dirname), [from, String(meter), String(calls)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      endWithUs(child)
      await once(child.stdout!, 'data')
    },
    close: async () => void child?.stdin?.end(),
  }
}

export const targets: Readonly<Record<string, () => Promise<Target>>> = { pbxd, dialplan: () => asterisk('bench'), ari, bare }

/** Proportional set size, kB: what a process has to itself, and its share of the rest. */
export function pssKb(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
