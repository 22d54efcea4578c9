/** What a computer and its modem said to each other, byte by byte: written down on a rig, and played again by a modem that is not there. */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { endWithUs } from '../../harness/processes.ts'

const source = join(import.meta.dirname, 'wire.cc')
const program = join(import.meta.dirname, '../../../.cache/wire/wire')

/** `>` from the computer, `<` from the modem, `!` from the modem by itself, `*` data of the computer up to its end, by its size. */
export type Piece = readonly [way: '>' | '<' | '!' | '*', bytes: string]

export interface Dialogue {
  /** What was on the other end, and on what kind of modem. */
  readonly rig: string
  readonly sends: boolean
  /** Rows of the pages (makePage), in a call that sends. */
  readonly pages: readonly { readonly rows: number; readonly seed: number }[]
  readonly result: {
    readonly code: number
    readonly pages: number
    readonly ecm: boolean
    readonly bitRate: number
    readonly remoteId: string
  }
  readonly said: readonly Piece[]
}

const run = promisify(execFile)

export async function buildWire(): Promise<void> {
  if (existsSync(program) && statSync(program).mtimeMs > statSync(source).mtimeMs) return
  mkdirSync(dirname(program), { recursive: true })
  const part = `${program}.${process.pid}`
  await run('g++', ['-std=c++20', '-O2', '-o', part, source, '-lutil'])
  renameSync(part, program)
}

async function start(words: readonly string[]): Promise<{ said(): string[]; over: Promise<void>; end(): Promise<void> }> {
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  endWithUs(child)
  const said: string[] = []
  const over = Promise.withResolvers<void>()
  const closed = new Promise<void>((resolve) => child.once('close', () => (over.resolve(), resolve())))
  await new Promise<void>((resolve) =>
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') return resolve()
      said.push(line)
      over.resolve()
    }),
  )
  return {
    said: () => said,
    over: over.promise,
    end: () => {
      child.stdin.end()
      return closed
    },
  }
}

/** A modem's device that writes down what passes; `end` gives the pieces. */
export async function record(link: string, device: string): Promise<{ end(): Promise<Piece[]> }> {
  const file = `${link}.wire`
  const wire = await start(['record', link, device, file])
  return {
    end: async () => {
      await wire.end()
      const lines = readFileSync(file, 'latin1').trim().split('\n')
      return pieces(lines.map((line) => line.split(' ') as [string, string, string]))
    },
  }
}

/** A modem that plays its part of a dialogue; `end` gives what went wrong, if anything did, when the computer has said all it said then. */
export async function replay(link: string, said: readonly Piece[]): Promise<{ end(): Promise<string> }> {
  const file = `${link}.play`
  writeFileSync(file, said.map(([way, bytes]) => `0 ${way} ${way === '*' ? bytes : unpacked(bytes).toString('hex')}\n`).join(''))
  const wire = await start(['replay', link, file])
  return {
    end: async () => {
      const late = setTimeout(() => void wire.end(), 5000)
      await wire.over
      clearTimeout(late)
      await wire.end()
      rmSync(file)
      return wire.said().join(' ')
    },
  }
}

const dle = 0x10
const ends = [0x03, 0x2c, 0x2e, 0x3b]
const pps = 0xfd

/** Neighbours joined, data separated from commands, and page data of the computer left out. */
function pieces(lines: readonly (readonly [ms: string, way: string, hex: string])[]): Piece[] {
  const out: Piece[] = []
  let command = ''
  let data: Buffer | null = null // of the computer, begun
  let lastWay = ''
  for (const [i, [ms, way, hex]] of lines.entries()) {
    let bytes: Buffer = Buffer.from(hex, 'hex')
    if (way === '<') {
      const text = bytes.toString('latin1')
      const silent = i > 0 && lastWay === '<' && Number(ms) - Number(lines[i - 1]![0]) > 250
      const last = out.at(-1)
      if ((silent && /RING|DATE/.test(text)) || last === undefined) out.push(['!', packed(bytes)])
      else if (last[0] === '<' || last[0] === '!') out[out.length - 1] = [last[0], packed(Buffer.concat([unpacked(last[1]), bytes]))]
      else out.push(['<', packed(bytes)])
      lastWay = way
      continue
    }
    lastWay = way
    while (bytes.length > 0) {
      const afterConnect = data !== null || (/\+FT[MH]|\+FDT/.test(command) && endsWithConnect(out.at(-1)))
      if (afterConnect) {
        data = Buffer.concat([data ?? Buffer.alloc(0), bytes])
        const end = endOf(data)
        if (end < 0) break
        const whole: Buffer = data.subarray(0, end)
        bytes = data.subarray(end)
        data = null
        // Frames are the same each time; what a page is coded as depends on the header line and so on the day, and with it PPS' count of frames.
        const steady = command.includes('+FTH') && whole[2] !== pps
        out.push(steady ? ['>', packed(whole)] : ['*', String(whole.length)])
        if (!command.includes('+FTH')) command = ''
        continue
      }
      const end = bytes.indexOf(13)
      const whole = end < 0 ? bytes : bytes.subarray(0, end + 1)
      bytes = bytes.subarray(whole.length)
      command = whole.toString('latin1')
      const last = out.at(-1)
      if (last?.[0] === '>' && !last[1].includes('\r')) out[out.length - 1] = ['>', packed(Buffer.concat([unpacked(last[1]), whole]))]
      else out.push(['>', packed(whole)])
    }
  }
  return out
}

const endsWithConnect = (piece: Piece | undefined): boolean =>
  piece !== undefined && piece[0] === '<' && /CONNECT\r\n(\{11\})?$/.test(piece[1])

/** Behind DLE ETX, or what class 2.0 has for the end of a page (DLE , ; .), or -1; DLE DLE is one byte of data. */
function endOf(data: Buffer): number {
  for (let at = data.indexOf(dle); at >= 0 && at + 1 < data.length; at = data.indexOf(dle, at + 2))
    if (ends.includes(data[at + 1]!)) return at + 2
  return -1
}

/** Text as it is, other bytes as `{hex}`, where `00*2700` is a byte and how often it comes. */
export function packed(bytes: Buffer): string {
  let out = ''
  for (let at = 0; at < bytes.length;) {
    const text = /^[\r\n -z]+/.exec(bytes.toString('latin1', at))?.[0] ?? ''
    if (text.length >= 4 || (text.length > 0 && at + text.length === bytes.length && text.length === bytes.length)) {
      out += text
      at += text.length
      continue
    }
    const hex: string[] = []
    while (at < bytes.length) {
      if (/^[\r\n -z]{4}/.test(bytes.toString('latin1', at, at + 4))) break
      let times = 1
      while (bytes[at + times] === bytes[at]) times++
      const byte = bytes.toString('hex', at, at + 1)
      hex.push(times > 3 ? ` ${byte}*${times} ` : byte.repeat(times))
      at += times
    }
    out += `{${hex.join('').replaceAll('  ', ' ').trim()}}`
  }
  return out
}

export function unpacked(text: string): Buffer {
  const parts = text.split(/\{([^}]*)\}/)
  return Buffer.concat(
    parts.flatMap((part, i) => {
      if (i % 2 === 0) return [Buffer.from(part, 'latin1')]
      return part.split(' ').map((word) => {
        const [hex = '', times] = word.split('*')
        return times === undefined ? Buffer.from(hex, 'hex') : Buffer.alloc(Number(times), Buffer.from(hex, 'hex'))
      })
    }),
  )
}
