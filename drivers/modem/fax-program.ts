/** One run of pbx-fax: the T.30 session of one call in a process of its own, with the bytes of the port relayed to it. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import {
  type FaxLineFrame,
  type FaxModem,
  type FaxProgress,
  type FaxReceiveRequest,
  type FaxResult,
  type FaxSendRequest,
  utcOffsetMinutes,
} from '../fax.ts'

export interface ModemLog {
  debug(facts: object, text: string): void
  info(facts: object, text: string): void
  warn(facts: object, text: string): void
}

/** The port as the program sees it. */
export interface Wire {
  write(bytes: Buffer, written: () => void): void
}

export interface ProgramResult extends FaxResult {
  /** What the modem did wrong; '' for nothing. */
  readonly modemFault: string
  readonly heardFax: boolean
}

export interface ProgramHandlers {
  progress(progress: FaxProgress): void
  frame(frame: FaxLineFrame): void
  /** Once, last: the process is gone. */
  ended(result: ProgramResult): void
}

export interface FaxProgram {
  /** From the port. */
  hear(bytes: Buffer): void
  stop(): void
  /** The port is gone. */
  lost(): void
}

export const callDropped = 49
const mostBacklog = 2048
const lastBytesMs = 3000
/** Above the limits the program keeps by itself: it hangs. */
const silentMs = 120_000
const passedVariables = ['PATH', 'LANG', 'TZ', 'ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS', 'LD_LIBRARY_PATH']

export const nothingYet: FaxProgress = {
  phase: 'negotiating',
  pages: 0,
  bitRate: 0,
  ecm: false,
  resolution: 'standard',
  transport: 'modem',
  remoteId: '',
}

export function sendOrder(request: FaxSendRequest, able: readonly FaxModem[], speed: number): object {
  const { file, standardFile, firstPage, stationId, header, timeZone, ecm } = request
  const modems = request.modems.filter((modem) => able.includes(modem))
  const offset = utcOffsetMinutes(timeZone, new Date())
  return { t: 'faxSend', file, standardFile, firstPage, stationId, header, utcOffsetMinutes: offset, ecm, modems, speed }
}

export function receiveOrder(request: FaxReceiveRequest, able: readonly FaxModem[], speed: number): object {
  const { file, stationId, ecm } = request
  return { t: 'faxReceive', file, stationId, ecm, modems: able, speed }
}

/** No secrets of the daemon. */
export function programEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {}
  for (const name of passedVariables) if (process.env[name] !== undefined) env[name] = process.env[name]
  return env
}

export function runFaxProgram(path: string, order: object, wire: Wire, handlers: ProgramHandlers, log: ModemLog): FaxProgram {
  const child = spawn(path, [], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'], env: programEnvironment(), cwd: '/' })
  const socket = child.stdio[3] as Duplex
  const told = new ProgramWords(handlers)
  let over = false
  let backlog = 0
  let lastBytes: NodeJS.Timeout | undefined

  const end = (text: string): void => {
    if (over) return
    over = true
    clearInterval(watch)
    clearTimeout(lastBytes)
    socket.destroy()
    handlers.ended(told.result(text))
  }
  let alive = performance.now()
  const watch = setInterval(() => {
    if (performance.now() - alive < silentMs) return
    log.warn({}, 'pbx-fax gave no sign for two minutes and was stopped')
    child.kill('SIGKILL')
  }, 5000)

  socket.on('error', () => undefined)
  socket.on('data', (bytes: Buffer) => {
    alive = performance.now()
    backlog += bytes.length
    if (backlog > mostBacklog) socket.pause()
    wire.write(bytes, () => {
      backlog -= bytes.length
      if (!over && backlog <= mostBacklog) socket.resume()
    })
  })
  child.stdin!.on('error', () => undefined)
  child.on('error', (error) => end(`pbx-fax could not be started: ${error.message}`))
  // What it wrote last is for the modem, which may take no more of it.
  child.on('exit', () => {
    if (!over) lastBytes = setTimeout(() => socket.destroy(), lastBytesMs)
  })
  child.on('close', (code, signal) => end(`pbx-fax ended without a result (${signal ?? code})`))
  createInterface({ input: child.stderr! }).on('line', (line) => log.warn({ source: 'pbx-fax' }, line))
  createInterface({ input: child.stdout! }).on('line', (line) => {
    alive = performance.now()
    told.take(parse(line))
  })
  if (child.pid !== undefined) child.stdin!.write(`${JSON.stringify(order)}\n`)
  return {
    hear: (bytes) => {
      alive = performance.now()
      if (!over && !socket.destroyed) socket.write(bytes)
    },
    stop: () => void (over || child.stdin!.write('{"t":"faxStop"}\n')),
    lost: () => void socket.end(),
  }
}

/** What pbx-fax has said so far, line by line. */
class ProgramWords {
  readonly #handlers: ProgramHandlers
  #last = nothingYet
  #heardFax = false
  #ended: ProgramResult | null = null

  constructor(handlers: ProgramHandlers) {
    this.#handlers = handlers
  }

  take(message: Record<string, unknown>): void {
    switch (message['t']) {
      case 'fax':
        this.#heardFax = true
        this.#last = readProgress(message, this.#last.phase)
        this.#handlers.progress(this.#last)
        break
      case 'faxFrame':
        this.#handlers.frame({
          atMs: count(message['atMs']),
          received: message['received'] === true,
          name: words(message['name']),
          fif: words(message['fif']),
        })
        break
      case 'faxEnded':
        this.#ended = {
          ...readProgress({ ...message, phase: this.#last.phase }, this.#last.phase),
          code: count(message['code']),
          text: words(message['text']),
          badRows: count(message['badRows']),
          unconfirmedLastPage: message['unconfirmedLastPage'] === true,
          modemFault: words(message['modemFault']),
          heardFax: this.#heardFax,
        }
        break
    }
  }

  /** Its own, or that of a program which ended without one for the reason `text`. */
  result(text: string): ProgramResult {
    if (this.#ended !== null) return this.#ended
    // The far end may have the page that was on its way.
    const unconfirmedLastPage = this.#last.phase === 'page'
    return { ...this.#last, code: callDropped, text, badRows: 0, unconfirmedLastPage, modemFault: text, heardFax: this.#heardFax }
  }
}

function parse(line: string): Record<string, unknown> {
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function readProgress(message: Record<string, unknown>, otherwise: FaxProgress['phase']): FaxProgress {
  const phase = message['phase']
  return {
    phase: phase === 'negotiating' || phase === 'training' || phase === 'page' || phase === 'confirmed' ? phase : otherwise,
    pages: count(message['pages']),
    bitRate: count(message['bitRate']),
    ecm: message['ecm'] === true,
    resolution: message['resolution'] === 'fine' ? 'fine' : 'standard',
    transport: 'modem',
    remoteId: words(message['remoteId']),
  }
}

function words(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.round(value) : 0
}
