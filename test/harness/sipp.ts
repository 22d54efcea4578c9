/**
 * SIP phones played by sipp. One scenario is a whole phone: it follows commands, which are datagrams with the call's own
 * Call-ID and a method no telephone knows (HANGUP, KEY, HOLD...), so that a test decides at run time what the phone does.
 * The audio is an RtpPhone's.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './daemon.ts'
import { RtpPhone } from './phone.ts'
import { endWithUs } from './processes.ts'
import { found } from './waiting.ts'

const scenarios = join(dirname(fileURLToPath(import.meta.url)), '..', 'e2e', 'scenarios')

export interface SippOptions {
  /** A file of test/e2e/scenarios, without its ending. */
  readonly scenario: string
  /** `host:port` of the daemon; absent for a phone that is called. */
  readonly target?: string
  readonly address?: string
  readonly port?: number
  /** Fields of the one line of the scenario's CSV. */
  readonly fields: readonly (string | number)[]
  readonly arguments?: readonly string[]
  readonly transport?: 'u1' | 't1'
  /** Changes the scenario's text: sipp takes no status code from a field. */
  readonly edit?: (xml: string) => string
}

/** One run of sipp with one call. */
export class Sipp {
  readonly port: number
  readonly callId: string
  /** Resolves with sipp's exit code: 0 when the call went as the scenario says. */
  readonly exit: Promise<number>
  readonly #dir: string
  readonly #address: string
  readonly #child: ChildProcess
  #code: number | undefined
  #screen = ''

  /** `control`: of the port by which sipp can be steered, which it insists on. */
  private constructor(options: SippOptions, port: number, control: number) {
    this.port = port
    this.#address = options.address ?? '127.0.0.1'
    this.#dir = mkdtempSync(join(tmpdir(), 'pbxd-sipp-'))
    this.callId = `c${process.pid}-${port}-${Math.floor(Math.random() * 1e9)}`
    writeFileSync(join(this.#dir, 'fields.csv'), `SEQUENTIAL\n${options.fields.join(';')}\n`)
    const file = (name: string) => join(this.#dir, name)
    const xml = readFileSync(join(scenarios, `${options.scenario}.xml`), 'utf8')
    writeFileSync(file('scenario.xml'), options.edit?.(xml) ?? xml)
    const words = ['-sf', file('scenario.xml'), '-inf', file('fields.csv'), '-m', '1', '-l', '1', '-nostdin', '-skip_rlimit']
    words.push(
      '-i',
      this.#address,
      '-p',
      String(port),
      '-t',
      options.transport ?? 'u1',
      '-cid_str',
      this.callId,
      '-default_behaviors',
      'none',
    )
    words.push(
      '-trace_err',
      '-error_file',
      file('errors'),
      '-trace_msg',
      '-message_file',
      file('messages'),
      '-trace_logs',
      '-log_file',
      file('logs'),
    )
    words.push('-timeout', '90', '-timeout_error', '-cp', String(control), ...(options.arguments ?? []))
    if (options.target) words.push(options.target)
    this.#child = spawn('sipp', words, { cwd: this.#dir, stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, TERM: 'dumb' } })
    endWithUs(this.#child)
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#screen += text))
    this.exit = new Promise((resolve) =>
      this.#child.once('exit', (code, signal) => {
        this.#code = code ?? (signal ? 128 : 1)
        resolve(this.#code)
      }),
    )
  }

  static async start(options: SippOptions): Promise<Sipp> {
    const sipp = new Sipp(options, options.port ?? (await freePort(options.address)), await freePort())
    if (!options.target) {
      await sipp.listening().catch(async (e: unknown) => {
        await sipp.close()
        throw e
      })
    }
    return sipp
  }

  /** Waits until sipp has bound its port: a called phone must be there before it is called. */
  private async listening(): Promise<void> {
    const hex = `:${this.port.toString(16).toUpperCase().padStart(4, '0')} `
    const tables = ['udp', 'udp6', 'tcp', 'tcp6'].map((name) => `/proc/net/${name}`).filter((name) => existsSync(name))
    const bound = () => tables.some((table) => readFileSync(table, 'latin1').includes(hex))
    await found(
      () => `sipp did not start: ${this.failure()}`,
      () => this.#code !== undefined || bound(),
      3000,
      10,
    )
    if (this.#code !== undefined) throw new Error(`sipp did not start: ${this.failure()}`)
  }

  /** Orders the phone to do something; see scenarios/caller.xml for the words. `callId` defaults to that of our own INVITE. */
  command(word: string, header = '', callId = this.callId): Promise<void> {
    const text = `${word} sip:phone@${this.#address}:${this.port} SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK${Math.random()}\r\nFrom: <sip:test@test>;tag=t\r\nTo: <sip:phone@test>\r\nCall-ID: ${callId}\r\nCSeq: 1 ${word}\r\nX-Value: ${header}\r\nContent-Length: 0\r\n\r\n`
    const socket = createSocket(this.#address.includes(':') ? 'udp6' : 'udp4')
    return new Promise((resolve, reject) => socket.send(text, this.port, this.#address, (e) => (socket.close(), e ? reject(e) : resolve())))
  }

  /** All SIP messages so far, as sipp logged them. */
  messages(): string {
    const file = join(this.#dir, 'messages')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  /** Final and provisional status codes received, in order, without repeats. */
  statuses(): number[] {
    const received = [...this.messages().matchAll(/message received \[\d+\] bytes :\s+SIP\/2\.0 (\d+)/g)].map((m) => Number(m[1]))
    return received.filter((code, i) => code !== received[i - 1])
  }

  /** Waits until the SIP log meets a test. */
  async until(what: string, when: (messages: string) => boolean, ms = 8000): Promise<void> {
    await found(
      () => `sipp: ${what}\n${this.failure()}`,
      () => when(this.messages()),
      ms,
      10,
    )
  }

  /** What went wrong, short enough to be read. */
  failure(): string {
    const file = join(this.#dir, 'errors')
    const errors = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const lines = (this.#screen + errors)
      .split('\n')
      .filter((line) => /Aborting|expecting|Timeout|received|can(no|')t|unable|error|must|unknown|only|could/i.test(line))
    return [...lines.slice(0, 6), `statuses: ${this.statuses().join(' ')}`].join('\n')
  }

  /** Ends it if it still runs, waits, and removes its files. */
  async close(): Promise<void> {
    if (this.#code === undefined) this.#child.kill('SIGKILL')
    await this.exit
    rmSync(this.#dir, { recursive: true, force: true })
  }
}

/** A phone with a voice: sipp for SIP, an RtpPhone for the audio. */
export interface Phone {
  readonly sip: Sipp
  readonly rtp: RtpPhone
  hangup(): Promise<void>
  close(): Promise<void>
}

export interface CallOptions {
  readonly to?: string
  readonly from?: string
  readonly name?: string
  readonly address?: string
  /** The trunk's own port, so that the daemon knows where the call comes from. */
  readonly port?: number
  readonly transport?: 'u1' | 't1'
  readonly scenario?: string
  /** Whether it offers keys as telephone-event; true by default. */
  readonly keyEvents?: boolean
}

const withoutEvents = (line: string): string => (line.startsWith('RTP') ? 'RTP/AVP 0' : '')

/** Calls the daemon as the trunk does. */
export async function call(sipPort: number, options: CallOptions = {}): Promise<Phone> {
  const rtp = await RtpPhone.open(options.address)
  const sip = await Sipp.start({
    scenario: options.scenario ?? 'caller',
    target: `127.0.0.1:${sipPort}`,
    ...(options.address === undefined ? {} : { address: options.address }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.transport === undefined ? {} : { transport: options.transport }),
    ...(options.keyEvents === false
      ? { edit: (xml: string) => xml.replaceAll(/RTP\/AVP 0 101|\n *a=(rtpmap|fmtp):101 .*/g, withoutEvents) }
      : {}),
    fields: [rtp.port, options.to ?? '+15550001000', options.from ?? '+15551230001', options.name ?? 'ANN LEE'],
  })
  rtp.signalling = () => sip.failure()
  return { sip, rtp, hangup: () => sip.command('HANGUP'), close: () => (rtp.close(), sip.close()) }
}

/** What a called phone does first. */
export type Manner = 'answer' | 'ring' | 'busy' | 'decline' | 'unavailable'

/** Waits for one call on a port, as the far end of the trunk does. Rings for `ringMs`, then acts. */
export async function callee(port: number, manner: Manner, ringMs = 200): Promise<Phone> {
  const rtp = await RtpPhone.open()
  const codes: Record<Manner, string> = {
    answer: '',
    ring: '',
    busy: '486 Busy Here',
    decline: '603 Decline',
    unavailable: '480 Temporarily Unavailable',
  }
  const scenario = manner === 'answer' ? 'callee' : manner === 'ring' ? 'callee-rings' : 'callee-refuses'
  const sip = await Sipp.start({
    scenario,
    port,
    fields: [rtp.port],
    arguments: ['-d', String(ringMs)],
    edit: (xml) => xml.replace('486 Busy Here', codes[manner]),
  })
  rtp.signalling = () => sip.failure()
  rtp.keyType = () => Number(/a=rtpmap:(\d+) telephone-event\/8000/i.exec(sip.messages())?.[1] ?? 101)
  const theirCallId = () => /^Call-ID: *(\S+)/im.exec(sip.messages())?.[1] ?? sip.callId
  return { sip, rtp, hangup: () => sip.command('HANGUP', '', theirCallId()), close: () => (rtp.close(), sip.close()) }
}
