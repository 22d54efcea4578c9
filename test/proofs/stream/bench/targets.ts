/** What carries the audio of a call to an echo and back: the box by `stream`, Asterisk by AudioSocket and by its WebSocket channel. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../../../harness/daemon.ts'
import { endWithUs } from '../../../harness/processes.ts'
import { processesOf, stage } from '../../bench/stage.ts'
import { section } from '../../fax/asterisk/settings.ts'
import { Asterisk } from '../../trunks/peers/asterisk.ts'
import { load } from '../../trunks/peers/asterisk-settings.ts'
import { reaching, streamDocument } from '../sides.ts'

export class Child {
  readonly process: ChildProcess
  readonly #lines: AsyncIterator<string>

  private constructor(child: ChildProcess) {
    this.process = child
    this.#lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  }

  /** A program of this folder, and the first line it says. */
  static async start(name: string, ...words: string[]): Promise<{ child: Child; line: string }> {
    const child = spawn(process.execPath, [join(import.meta.dirname, name), ...words], { stdio: ['pipe', 'pipe', 'inherit'] })
    endWithUs(child)
    const own = new Child(child)
    return { child: own, line: await own.#line() }
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next()
    if (done === true) throw new Error('a program of the measurement ended')
    return value
  }

  async ask(): Promise<number> {
    this.process.stdin!.write('\n')
    return Number(await this.#line())
  }

  async close(): Promise<void> {
    this.process.kill('SIGKILL')
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'exit')
  }
}

export interface Target {
  readonly name: string
  readonly host: string
  readonly port: number
  /** Address from which it has to be called. */
  readonly from: string
  processes(): Readonly<Record<string, readonly number[]>>
  /** Frames that were sent back so far. */
  echoed(): Promise<number>
  close(): Promise<void>
}

/** `streamed`: false has the same calls wait without a stream, to show what the stream adds. */
export async function pbxd(streamed = true): Promise<Target> {
  const port = await freePort()
  const { child: echo } = await Child.start('echo.ts', 'uws', String(port))
  const url = `ws://127.0.0.1:${port}/media`
  const scene = await stage({ settings: reaching(port) })
  const waits = [{ gather: { timeout: 120 } }]
  scene.app.script = (event) => (event.event === 'call.inbound.pre_route' ? (streamed ? streamDocument(url) : waits) : [])
  return {
    name: streamed ? 'stream' : 'a call without a stream',
    host: '127.0.0.1',
    port: scene.daemon.sipPort,
    from: '127.0.0.1',
    processes: processesOf(scene.daemon),
    echoed: () => echo.ask(),
    close: async () => {
      await scene.close()
      await echo.close()
    },
  }
}

const streamFrom = { audiosocket: '127.0.0.22', websocket: '127.0.0.23' } as const
export type AsteriskWay = keyof typeof streamFrom
export const asteriskWays: Readonly<Record<AsteriskWay, string>> = {
  audiosocket: 'Asterisk, AudioSocket',
  websocket: 'Asterisk, chan_websocket',
}

const plans: Readonly<Record<AsteriskWay, (port: string) => readonly string[]>> = {
  audiosocket: (port) => [`AudioSocket(40325ec2-5efd-4bd3-805f-53576e581d13,127.0.0.1:${port})`],
  websocket: () => ['Dial(WebSocket/echo/c(ulaw))'],
}

function filesFor(way: AsteriskWay, port: string): (files: Record<string, string>) => Record<string, string> {
  return (files) => ({
    ...files,
    'modules.conf': files['modules.conf']!.replace('noload = chan_websocket.so', ''),
    'websocket_client.conf': section('echo', [
      'type=websocket_client',
      `uri=ws://127.0.0.1:${port}/media`,
      'protocols=media',
      'connection_type=per_call_config',
    ]),
    'pjsip.conf': `${files['pjsip.conf']}\n${load(way, streamFrom[way])}`,
    'extensions.conf': `${files['extensions.conf']}\n${section(way, [
      'exten => _[+0-9]!,1,Answer()',
      // It says nothing before it hears something, and so does the phone, which learns by the first packet where to send.
      ' same => n,Playback(/fax/out/short)',
      ...plans[way](port).map((step) => ` same => n,${step}`),
      ' same => n,Hangup()',
    ])}`,
  })
}

export async function asterisk(way: AsteriskWay): Promise<Target> {
  const { child: echo, line } = await Child.start('echo.ts', way === 'audiosocket' ? 'audiosocket' : 'raw')
  const own = await Asterisk.start({ quiet: true, more: filesFor(way, line) })
  return {
    name: asteriskWays[way],
    host: own.places.host,
    port: own.places.udp,
    from: streamFrom[way],
    processes: () => ({ asterisk: [own.pid] }),
    echoed: () => echo.ask(),
    close: async () => {
      await own.close()
      await echo.close()
    },
  }
}
