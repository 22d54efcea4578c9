/** One daemon, one application and one trunk for a file of tests, and what every test owes at its end. */
import { Application } from './app.ts'
import { Daemon, type DaemonOptions } from './daemon.ts'
import { call, type CallOptions, type Manner, type Phone } from './sipp.ts'
import { Trunk } from './trunk.ts'
import { eventually } from './waiting.ts'

export { eventually, pause } from './waiting.ts'

interface Closable {
  close(): unknown
}

export class Scene {
  readonly app: Application
  readonly trunk: Trunk
  readonly daemon: Daemon
  #open: Closable[] = []

  private constructor(app: Application, trunk: Trunk, daemon: Daemon) {
    this.app = app
    this.trunk = trunk
    this.daemon = daemon
  }

  static async open(options: Partial<DaemonOptions> = {}, start = true): Promise<Scene> {
    const app = await Application.open()
    const trunk = await Trunk.open()
    const daemon = await Daemon.create({ app: app.url, trunkPort: trunk.port, ...options })
    const scene = new Scene(app, trunk, daemon)
    try {
      if (start) await daemon.start()
    } catch (e) {
      await scene.close()
      throw e
    }
    return scene
  }

  /** Something to be closed when the test ends. */
  keep<T extends Closable>(thing: T): T {
    this.#open.push(thing)
    return thing
  }

  /** A caller from the trunk. */
  async call(options: CallOptions = {}): Promise<Phone> {
    return this.keep(await call(this.daemon.sipPort, options))
  }

  /** A phone behind the trunk that takes the next call. */
  async expect(manner: Manner, ringMs?: number): Promise<Phone> {
    return this.keep(await this.trunk.expect(manner, ringMs))
  }

  originate(body: Record<string, unknown>, headers: Record<string, string> = {}): ReturnType<Daemon['api']> {
    return this.daemon.api('POST', '/api/voice/originate', body, headers)
  }

  /**
   * Ends a test: waits for `call.ended` of every call the application heard of, closes the phones, and answers what was
   * broken: signatures, headers, events in flight together, gaps in `sequence`, events after `call.ended`.
   */
  async finish(): Promise<string[]> {
    const calls = new Set(this.app.received.map((r) => r.event.callId as string))
    for (const id of calls)
      await this.app.until('call.ended', (e) => e.callId === id, 8000).catch((e: Error) => this.app.faults.push(e.message))
    for (const thing of this.#open.splice(0)) await thing.close()
    return [...this.app.faults, ...[...calls].flatMap((id) => this.app.disorder(id).map((fault) => `${id}: ${fault}`))]
  }

  /** After a test that failed half-way: ends what still lives, so that the next test starts alone. */
  async sweep(): Promise<void> {
    for (const thing of this.#open.splice(0)) await thing.close()
    if (this.daemon.exit || this.daemon.pid === 0) return
    const live = async () =>
      ((await this.daemon.api('GET', '/api/voice/calls').catch(() => undefined))?.body.calls ?? []).filter((c: any) => !c.endedAt)
    // One that is on its way out may be gone before it answers.
    const end = (callId: string) => this.daemon.api('POST', `/api/voice/calls/${callId}`, { state: 'completed' }).catch(() => undefined)
    for (const { callId } of await live()) await end(callId)
    await eventually('the calls of the test are over', async () => (await live()).length === 0, 3000).catch(() => {})
  }

  async close(): Promise<void> {
    for (const thing of this.#open.splice(0)) await thing.close()
    await this.daemon.close()
    this.trunk.close()
    await this.app.close()
  }
}
