/**
 * A desk phone played by baresip 1.0: its own configuration directory, driven over its control socket (JSON in
 * netstrings), registration and call events as promises, a WAV as microphone, what it hears as a WAV.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, readSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { concat, readWav, silence, toEightKhz, tone, writeWav } from './audio.ts'
import { freePort } from './daemon.ts'
import type { Ear } from './ears.ts'
import { certificate, endWithUs } from './processes.ts'
import { Waiting } from './waiting.ts'

export interface BaresipOptions {
  /** `host:port` of the daemon. */
  readonly registrar: string
  readonly user: string
  readonly password: string
  readonly transport?: 'udp' | 'tcp' | 'tls'
  /** Own address: another loopback address is another phone to the daemon's bans. */
  readonly address?: string
  /** Such as `srtp-mand`. */
  readonly mediaEncryption?: string
  readonly codecs?: string
  /** What it says, 8 kHz; default: 300 Hz without end (60 s). */
  readonly voice?: Int16Array
  /** Samples of `voice` per second; must be the codec's. */
  readonly voiceRate?: number
  /** Answers calls by itself. */
  readonly autoAnswer?: boolean
  /** Applications of its own besides, such as `mwi`. */
  readonly modules?: readonly string[]
  /** Its file of accounts as it is, in place of all that is said of one here. */
  readonly accounts?: string
  /** Does not register. */
  readonly noRegister?: boolean
  /** Addresses in its book; the first is the one `message` writes to. What is received and sent is in `output` then. */
  readonly contacts?: readonly string[]
}

export interface BaresipEvent {
  readonly type: string
  readonly class?: string
  readonly param?: string
  readonly [key: string]: unknown
}

/** Of its WAV files, which have no further chunks. */
const headerBytes = 44

export class Baresip implements Ear {
  readonly events: BaresipEvent[] = []
  output = ''
  /** Where it listens for SIP. */
  readonly port: number
  readonly #dir: string
  readonly #child: ChildProcess
  readonly #control: Socket
  #rest = Buffer.alloc(0)
  readonly #waiting = new Waiting()
  #tokens = 0
  readonly #replies = new Map<string, (reply: { ok: boolean; data: string }) => void>()

  private constructor(dir: string, child: ChildProcess, control: Socket, port: number) {
    this.port = port
    this.#dir = dir
    this.#child = child
    this.#control = control
    const collect = (text: Buffer) => (this.output += text.toString())
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    control.on('data', (data) => this.#read(data))
    control.on('error', () => {})
  }

  /** It takes the port above its SIP port as well (for TLS), which may be in use: then with other ports. */
  static async start(options: BaresipOptions): Promise<Baresip> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await Baresip.#launch(options)
      } catch (error) {
        if (attempt === 4) throw error
      }
    }
  }

  static async #launch(options: BaresipOptions): Promise<Baresip> {
    const dir = mkdtempSync(join(tmpdir(), 'pbxd-baresip-'))
    const address = options.address ?? '127.0.0.1'
    const transport = options.transport ?? 'udp'
    const controlPort = await freePort()
    const sipPort = await freePort(address)
    await certificate(dir)
    writeFileSync(join(dir, 'both.pem'), readFileSync(join(dir, 'cert.pem'), 'utf8') + readFileSync(join(dir, 'key.pem'), 'utf8'))
    writeFileSync(join(dir, 'voice.wav'), writeWav(options.voice ?? concat(silence(100), tone(300, 60000)), options.voiceRate))
    const modules = ['g711', 'g722', 'aufile', 'aubridge', 'sndfile', 'srtp', 'ctrl_tcp', 'account', 'menu', 'debug_cmd']
    if (options.contacts) modules.push('contact')
    modules.push(...(options.modules ?? []))
    writeFileSync(
      join(dir, 'config'),
      [
        `sip_listen ${address}:${sipPort}`,
        `sip_certificate ${join(dir, 'both.pem')}`,
        'call_local_timeout 60',
        'call_max_calls 4',
        `audio_player aubridge,${sipPort}`,
        `audio_source aufile,${join(dir, 'voice.wav')}`,
        `audio_alert aubridge,alert${sipPort}`,
        'audio_buffer 20-160',
        `net_interface ${address}`,
        `rtp_ports ${22000 + (sipPort % 400) * 20}-${22000 + (sipPort % 400) * 20 + 18}`,
        'jitter_buffer_delay 1-3',
        'module_path /usr/lib/baresip/modules',
        ...modules.map(
          (m) =>
            `${m === 'account' || m === 'menu' || m === 'debug_cmd' || m === 'ctrl_tcp' || m === 'contact' || options.modules?.includes(m) === true ? 'module_app' : 'module'} ${m}.so`,
        ),
        `ctrl_tcp_listen 127.0.0.1:${controlPort}`,
        `snd_path ${dir}`,
        '',
      ].join('\n'),
    )
    const parameters = [
      `auth_user=${options.user}`,
      `auth_pass=${options.password}`,
      `regint=${options.noRegister ? 0 : 600}`,
      `audio_codecs=${options.codecs ?? 'PCMU/8000/1,PCMA/8000/1'}`,
      `answermode=${options.autoAnswer ? 'auto' : 'manual'}`,
      ...(options.mediaEncryption ? [`mediaenc=${options.mediaEncryption}`] : []),
    ]
    const account = `<sip:${options.user}@${options.registrar};transport=${transport}>;${parameters.join(';')}\n`
    writeFileSync(join(dir, 'accounts'), options.accounts ?? account)
    writeFileSync(join(dir, 'contacts'), (options.contacts ?? []).map((address) => `"Peer" <${address}>\n`).join(''))
    const child = spawn('baresip', [...(options.contacts ? ['-s'] : []), '-f', dir], { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] })
    endWithUs(child)
    try {
      return new Baresip(dir, child, await connectSoon(controlPort, child), sipPort)
    } catch (error) {
      rmSync(dir, { recursive: true, force: true })
      throw error
    }
  }

  #read(data: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, data])
    for (;;) {
      const colon = this.#rest.indexOf(':')
      if (colon < 0) return
      const length = Number(this.#rest.toString('latin1', 0, colon))
      if (this.#rest.length < colon + 1 + length + 1) return
      const message = JSON.parse(this.#rest.toString('utf8', colon + 1, colon + 1 + length)) as Record<string, any>
      this.#rest = this.#rest.subarray(colon + 2 + length)
      if (message['event']) this.events.push(message as unknown as BaresipEvent)
      else this.#replies.get(String(message['token']))?.({ ok: Boolean(message['ok']), data: String(message['data']) })
      this.#waiting.wake()
    }
  }

  /** Sends one of baresip's commands, such as `dial`, `accept`, `hangup`, `sndcode`, `hold`, `resume`. */
  command(command: string, params = ''): Promise<{ ok: boolean; data: string }> {
    const token = String(++this.#tokens)
    const text = JSON.stringify({ command, params, token })
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`baresip: no reply to ${command}\n${this.output.slice(-1500)}`)), 10_000)
      this.#replies.set(token, (reply) => (clearTimeout(timer), resolve(reply)))
      this.#control.write(`${Buffer.byteLength(text)}:${text},`)
    })
  }

  /** Waits for an event such as REGISTER_OK, REGISTER_FAIL, CALL_INCOMING, CALL_ESTABLISHED, CALL_CLOSED. */
  async until(type: string, ms = 8000, nth = 1): Promise<BaresipEvent> {
    const seen = () => this.events.map((e) => `${e.type} ${e.param ?? ''}`).join(', ')
    return this.#waiting.until(
      () => this.events.filter((e) => e.type === type)[nth - 1] ?? this.#registration(type),
      ms,
      (within) => `baresip: no ${type}: ${within}; seen: ${seen()}\n${this.output.slice(-1500)}`,
      100,
    )
  }

  /** A registration that was decided before the control socket was connected shows in the output alone. */
  #registration(type: string): BaresipEvent | undefined {
    const told =
      type === 'REGISTER_OK' ? /\{\d\/\w+\/v4\} (200 OK)/ : type === 'REGISTER_FAIL' ? /reg: \S+ (?:\(prio \d\): )?(.*)/ : undefined
    const match = told?.exec(this.output)
    return match ? { type, param: match[1] ?? '' } : undefined
  }

  /** What it decoded in its last call, at 8 kHz, since its media changed last, as by hold. Complete after the call. */
  heard(): Int16Array {
    return this.heardInParts().at(-1) ?? new Int16Array(0)
  }

  /** The last of it as it came, at the rate of the codec. */
  heardWide(): Int16Array {
    return this.#dumps().at(-1)?.samples ?? new Int16Array(0)
  }

  /** All that it decoded, in parts that begin with a call or a change of its media. */
  heardInParts(): Int16Array[] {
    return this.#dumps().map(({ samples, sampleRate }) => toEightKhz(samples, sampleRate))
  }

  #files(): string[] {
    const dumps = readdirSync(this.#dir).filter((name) => /^dump-.*-dec\.wav$/.test(name))
    return dumps.toSorted().map((name) => join(this.#dir, name))
  }

  #dumps(): { samples: Int16Array; sampleRate: number }[] {
    return this.#files().map((file) => readWav(readFileSync(file)))
  }

  lately(ms: number): Int16Array {
    const file = this.#files().at(-1)
    return file === undefined ? new Int16Array(0) : lastOf(file, ms)
  }

  get heardMs(): number {
    return this.#files().reduce((sum, file) => sum + growing(file, (_, rate, samples) => (samples * 1000) / rate, 0), 0)
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve))
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGTERM')
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), 3000)
      await gone
      clearTimeout(timer)
    }
    this.#control.destroy()
    rmSync(this.#dir, { recursive: true, force: true })
  }
}

/** Reads a WAV file that grows: its header has no lengths yet, and is alone at first. */
function growing<T>(name: string, read: (file: number, sampleRate: number, samples: number) => T, nothing: T): T {
  const file = openSync(name, 'r')
  try {
    const header = Buffer.alloc(headerBytes)
    if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return nothing
    return read(file, header.readUInt32LE(24), (fstatSync(file).size - headerBytes) >> 1)
  } finally {
    closeSync(file)
  }
}

function lastOf(name: string, ms: number): Int16Array {
  const last = (file: number, sampleRate: number, there: number) => {
    const samples = new Int16Array(Math.min(there, Math.round((ms * sampleRate) / 1000)))
    readSync(file, samples, 0, samples.byteLength, headerBytes + 2 * (there - samples.length))
    return toEightKhz(samples, sampleRate)
  }
  return growing(name, last, new Int16Array(0))
}

async function connectSoon(port: number, child: ChildProcess): Promise<Socket> {
  for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt++) {
    const socket = connect(port, '127.0.0.1')
    const ok = await new Promise<boolean>((resolve) => socket.once('connect', () => resolve(true)).once('error', () => resolve(false)))
    // A port that nobody listens on yet may be given to this very socket, which is then connected to itself, and baresip shut out.
    if (ok && socket.localPort !== port) return socket
    socket.destroy()
    await new Promise((done) => setTimeout(done, 25))
  }
  child.kill('SIGKILL')
  throw new Error('baresip did not open its control socket')
}
