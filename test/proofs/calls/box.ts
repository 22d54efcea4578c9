/** The box whose processes are killed and whose clock is set, and what was done to it when. */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../harness/daemon.ts'
import { eventually, pause, Scene } from '../../harness/scene.ts'

export interface Blow {
  readonly kind: 'daemon' | 'engine' | 'clock'
  readonly at: number
  /** Of the daemon at that moment. */
  readonly pid: number
}

/** On a machine that has much else to do. */
const readyMs = 180_000
/** Clocks are set by up to so much, either way. */
const mostStepMs = 2 * 3_600_000

export class Box {
  readonly scene: Scene
  /** Where the daemons write what they know. */
  readonly witnessFile: string
  readonly blows: Blow[] = []
  /** Engines and daemons that were seen to be others after a kill. */
  readonly renewed = { daemon: 0, engine: 0 }
  /** Resolves while calls are taken. */
  up: Promise<void> = Promise.resolve()
  /** Resolves at the next kill: what a caller waits for then will not come. */
  killed: Promise<void>
  readonly #clockFile: string
  #offset = 0
  #kill: () => void

  private constructor(scene: Scene, clockFile: string, witnessFile: string) {
    this.scene = scene
    this.witnessFile = witnessFile
    this.#clockFile = clockFile
    const { promise, resolve } = Promise.withResolvers<void>()
    this.killed = promise
    this.#kill = resolve
  }

  static async open(): Promise<Box> {
    const clockFile = join(tmpdir(), `pbx-clock-${process.pid}`)
    const witnessFile = join(tmpdir(), `pbx-witness-${process.pid}`)
    writeFileSync(clockFile, '0')
    writeFileSync(witnessFile, '')
    const options = {
      compiled: true,
      env: { PBX_CLOCK_FILE: clockFile, PBX_WITNESS_FILE: witnessFile },
      nodeArguments: ['set-clock', 'witness-file'].flatMap((name) => ['--import', join(root, `test/proofs/calls/${name}.ts`)]),
      settings: (base: Record<string, unknown>) => {
        const trunk = (base['trunks'] as Record<string, unknown>[])[0]!
        trunk['channels'] = 300
        base['limits'] = { requestsPerSecond: 100_000, burst: 100_000 }
      },
    }
    const scene = await Scene.open(options, false)
    await scene.daemon.start(false)
    await scene.daemon.ready(readyMs)
    return new Box(scene, clockFile, witnessFile)
  }

  get stepsNoticed(): number {
    return this.scene.daemon.log.filter(({ msg }) => msg === 'the clock was set').length
  }

  /** Whether calls live, or callbacks wait. */
  async hasMore(): Promise<boolean> {
    const { daemon } = this.scene
    const calls = (await daemon.api('GET', '/api/voice/calls?state=live')).body.calls as readonly unknown[]
    const { out } = await daemon.pbx('callbacks', 'list', '--state', 'pending', '--json')
    return calls.length > 0 || (JSON.parse(out) as readonly unknown[]).length > 0
  }

  count(kind: Blow['kind']): number {
    return this.blows.filter((blow) => blow.kind === kind).length
  }

  /** One blow; resolves when calls are taken again. */
  async strike(kind: Blow['kind'], chance: number): Promise<void> {
    const { daemon } = this.scene
    if (kind === 'clock') {
      this.#offset += (chance - 0.5) * 2 * mostStepMs
      writeFileSync(this.#clockFile, String(Math.round(this.#offset)))
      this.#note(kind)
      daemon.signal('SIGUSR2')
      return
    }
    const before = { daemon: daemon.pid, engine: daemon.enginePids()[0] }
    if (before.engine === undefined) return
    const back = Promise.withResolvers<void>()
    this.up = back.promise
    this.#note(kind)
    if (kind === 'engine') process.kill(before.engine, 'SIGKILL')
    const gone = kind === 'daemon' ? daemon.kill() : Promise.resolve()
    const tell = this.#kill
    const next = Promise.withResolvers<void>()
    this.killed = next.promise
    this.#kill = next.resolve
    tell()
    await gone
    if (kind === 'daemon') await daemon.start(false)
    else await eventually('another engine', () => ![undefined, before.engine].includes(daemon.enginePids()[0]), readyMs)
    await daemon.ready(readyMs)
    if (kind === 'daemon' ? daemon.pid !== before.daemon : daemon.pid === before.daemon) this.renewed[kind] += 1
    back.resolve()
  }

  #note(kind: Blow['kind']): void {
    this.blows.push({ kind, at: performance.now(), pid: this.scene.daemon.pid })
  }
}

/** Strikes again and again until `over`: one of the three each time, `pauseMs()` after the last. */
export async function strikes(box: Box, over: () => boolean, random: () => number, pauseMs: () => number): Promise<void> {
  while (!over()) {
    await pause(pauseMs())
    if (over()) return
    const at = random()
    await box.strike(at < 0.34 ? 'daemon' : at < 0.67 ? 'engine' : 'clock', random())
  }
}
