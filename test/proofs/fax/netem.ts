/**
 * Faxes between two engines over a bad network, in real time: SIP, RTP and UDPTL as they are sent, between two network namespaces
 * whose packets pass through a program of ours (network/network.cc) that loses, delays and reorders them. Needs root and /dev/net/tun.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { enginePath, FaxStory, Rig, type Places } from '../../fax-engine/rig.ts'
import { makePage, readTiff, samePixels, writeTiff } from '../../fax-engine/tiff.ts'
import { table } from './study.ts'

const root = join(import.meta.dirname, '../../..')
const source = join(import.meta.dirname, 'network/network.cc')
const program = join(root, '.cache/fax-network/network')

export interface Weather {
  readonly loss: number
  readonly delayMs: number
  readonly jitterMs: number
}

const shares = [0, 0.001, 0.005, 0.01, 0.02]
const winds = [0, 20, 30]
const atOnce = 5
/** A call that is still on the line then is not waited for. */
const longestMs = 180_000

async function build(): Promise<void> {
  if (existsSync(program) && statSync(program).mtimeMs > statSync(source).mtimeMs) return
  mkdirSync(join(program, '../../../scripts'), { recursive: true })
  const part = `${program}.${process.pid}`
  await promisify(execFile)('g++', ['-std=c++20', '-O2', '-o', part, source])
  renameSync(part, program)
}

/** Two network namespaces with a bad line between them. */
export class Network {
  readonly places: Places
  readonly #child: ChildProcess
  readonly #directory: string

  private constructor(child: ChildProcess, directory: string, places: Places) {
    this.#child = child
    this.#directory = directory
    this.places = places
  }

  static async open({ loss, delayMs, jitterMs }: Weather, seed: number): Promise<Network> {
    const words = ['-l', String(loss), '-d', String(delayMs), '-j', String(jitterMs), '-s', String(seed)]
    const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'pipe'] })
    let said = ''
    child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()))
    const first = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', resolve)
      child.once('exit', () => reject(new Error(`There is no network for the study: ${said.trim()}`)))
    })
    const directory = mkdtempSync(join(tmpdir(), 'fax-network-'))
    const engine = (index: number): string => {
      const file = join(directory, `engine${index}`)
      const pid = first.split(' ')[index + 1]
      writeFileSync(file, `#!/bin/sh\nexec nsenter --net=/proc/${pid}/ns/net '${enginePath}' "$@"\n`)
      chmodSync(file, 0o755)
      return file
    }
    return new Network(child, directory, { hosts: ['10.77.0.1', '10.77.0.2'], engines: [engine(0), engine(1)] })
  }

  close(): void {
    this.#child.stdin!.end()
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

interface Outcome {
  readonly t38: boolean
  readonly code: number
  readonly complete: boolean
  readonly transport: string
  readonly seconds: number
}

async function fax(rig: Rig, t38: boolean, index: number): Promise<Outcome> {
  const name = `${t38 ? 't38' : 'audio'}-${index}`
  const pages = [makePage(300, index * 2 + 1), makePage(200, index * 2 + 2)]
  writeTiff(rig.file(`${name}.tif`), pages)
  const began = Date.now()
  const { caller, callee } = await rig.call()
  const [sent, received] = [new FaxStory(), new FaxStory()]
  caller.leg.sendFax(rig.sendRequest(rig.file(`${name}.tif`), { t38 }), sent)
  callee.leg.receiveFax(rig.receiveRequest(rig.file(`${name}-in.tif`), { t38 }), received)
  const late = setTimeout(() => caller.leg.hangup(), longestMs)
  const result = await sent.result
  clearTimeout(late)
  const seconds = (Date.now() - began) / 1000
  caller.leg.hangup()
  await received.result
  const got = existsSync(rig.file(`${name}-in.tif`)) ? readTiff(rig.file(`${name}-in.tif`)) : []
  const complete = pages.every((page, i) => got[i] !== undefined && samePixels(got[i], page)) && got.length === pages.length
  return { t38, code: result.code, complete, transport: result.transport, seconds }
}

async function cell(weather: Weather, calls: number, seed: number): Promise<Outcome[]> {
  const network = await Network.open(weather, seed)
  const rig = new Rig(network.places)
  try {
    await rig.open()
    const each = (t38: boolean) => Array.from({ length: calls }, (_, i) => fax(rig, t38, i))
    return await Promise.all([...each(false), ...each(true)])
  } finally {
    await rig.close()
    network.close()
  }
}

/** Every loss with every jitter, for G.711 and T.38. Gives the exit status: 1 where one was called sent and is not complete. */
export async function netem(values: { calls?: string; delay: string; json: boolean }): Promise<number> {
  await build()
  const calls = Number(values.calls ?? '4')
  const delayMs = Number(values.delay)
  const waiting = winds.flatMap((jitterMs) => shares.map((loss) => ({ loss, delayMs, jitterMs })))
  const all = waiting.map((weather, i) => ({ weather, seed: i + 1, outcomes: [] as Outcome[] }))
  const rest = [...all]
  const work = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      next.outcomes = await cell(next.weather, calls, next.seed)
      process.stderr.write(
        `${next.weather.jitterMs} ms, ${next.weather.loss * 100} %: ${all.filter(({ outcomes }) => outcomes.length > 0).length} of ${all.length}\n`,
      )
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  if (values.json) console.log(JSON.stringify(all, null, 2))
  else {
    const rows = [
      ['transport, jitter, loss', 'calls', 'sent', 'complete', 'sent but not complete', 'median s of sent', 'codes of the others'],
    ]
    for (const t38 of [false, true]) {
      for (const { weather, outcomes } of all) {
        const mine = outcomes.filter((outcome) => outcome.t38 === t38)
        const sent = mine.filter(({ code }) => code === 0)
        const seconds = sent.map((outcome) => outcome.seconds).toSorted((a, b) => a - b)
        rows.push([
          `${t38 ? 'T.38' : 'G.711'}, ${weather.jitterMs} ms, ${weather.loss * 100} %`,
          String(mine.length),
          String(sent.length),
          String(mine.filter(({ complete }) => complete).length),
          String(sent.filter(({ complete }) => !complete).length),
          seconds.length === 0 ? '-' : (seconds[seconds.length >> 1] ?? 0).toFixed(0),
          mine
            .filter(({ code }) => code !== 0)
            .map(({ code }) => code)
            .join(' '),
        ])
      }
    }
    console.log(table(rows))
    console.log(`\nTwo pages with error correction, ${delayMs} ms one way; jitter: mean of a further exponential delay.`)
  }
  return all.some(({ outcomes }) => outcomes.some(({ code, complete }) => code === 0 && !complete)) ? 1 : 0
}
