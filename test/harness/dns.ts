/** A name server of the test's own: dnsmasq on a free port of 127.0.0.1, which knows the zone `clinic.test` and nothing else. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { freePort } from './daemon.ts'
import { endWithUs } from './processes.ts'

export const noDnsmasq = spawnSync('/usr/sbin/dnsmasq', ['--version']).status === 0 ? false : 'dnsmasq is not installed'

export class NameServer {
  /** `127.0.0.1:PORT`, as `nameservers` of the engine takes it. */
  readonly address: string
  readonly #port: number
  #child: ChildProcess | undefined

  private constructor(port: number) {
    this.#port = port
    this.address = `127.0.0.1:${port}`
  }

  /** `records`: lines of dnsmasq's configuration, such as `srv-host=_sip._udp.a.clinic.test,b.clinic.test,5060,10,1`. */
  static async open(records: readonly string[]): Promise<NameServer> {
    const server = new NameServer(await freePort())
    await server.serve(records)
    return server
  }

  /** Answers with these records from now on; every answer has TTL 0. */
  async serve(records: readonly string[]): Promise<void> {
    await this.stop()
    const own = ['--no-daemon', '--no-resolv', '--no-hosts', '--bind-interfaces', '--listen-address=127.0.0.1', `--port=${this.#port}`]
    const child = spawn(
      '/usr/sbin/dnsmasq',
      [...own, '--conf-file=/dev/null', '--user=root', '--local=/clinic.test/', '--local-ttl=0', ...records.map((r) => `--${r}`)],
      { stdio: 'ignore' },
    )
    endWithUs(child)
    this.#child = child
    await this.#answers()
  }

  /** Repeats a question until the server answers. */
  async #answers(): Promise<void> {
    const question = Buffer.from('abcd01000001000000000000' + '06636c696e6963' + '0474657374' + '00' + '00010001', 'hex')
    const socket = createSocket('udp4')
    socket.on('error', () => undefined)
    const answered = new Promise<void>((resolve) => socket.once('message', () => resolve()))
    const timer = setInterval(() => socket.send(question, this.#port, '127.0.0.1'), 20)
    const gone = new Promise<never>((_, reject) => this.#child?.once('exit', (code) => reject(new Error(`dnsmasq ended with ${code}`))))
    gone.catch(() => undefined)
    try {
      await Promise.race([answered, gone])
    } finally {
      clearInterval(timer)
      socket.close()
    }
  }

  /** An outage: nobody answers on the port. */
  async stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child || child.exitCode !== null) return
    const gone = new Promise((done) => child.once('exit', done))
    child.kill('SIGKILL')
    await gone
  }
}
