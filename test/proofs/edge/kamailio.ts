/** Kamailio 5.6 (Debian's package) as the edge of a house: phones and the provider on one side, one box on the other. It registers nobody and keeps no calls. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithUs } from '../../harness/processes.ts'

const program = '/usr/sbin/kamailio'
export const noKamailio = existsSync(program) ? null : 'there is no Kamailio: apt-get install kamailio'

/** Towards phones and the provider it has `outside`, towards the box the same address. */
export interface EdgeOptions {
  readonly address: string
  readonly port: number
  readonly box: string
  readonly provider: string
}

const modules = ['kex', 'tm', 'sl', 'rr', 'pv', 'maxfwd', 'path', 'textops', 'siputils']

const settings = ({ address, port, box, provider }: EdgeOptions, path: string): string => `#!KAMAILIO
debug=1
log_stderror=yes
children=2
auto_aliases=no
disable_tcp=yes
listen=udp:${address}:${port}
mpath="${path}"
${modules.map((name) => `loadmodule "${name}.so"`).join('\n')}
modparam("tm", "fr_timer", 1500)
modparam("rr", "enable_full_lr", 1)
modparam("path", "use_received", 1)

request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  force_rport();
  if (is_method("CANCEL")) { if (t_check_trans()) { t_relay(); } exit; }
  if (has_totag()) {
    if (loose_route()) { t_relay(); exit; }
    if (is_method("ACK")) { if (t_check_trans()) { t_relay(); } exit; }
    sl_send_reply("404", "Not Here"); exit;
  }
  t_check_trans();
  # From the box: to where its Route says, else to whom it names.
  if ($si + ":" + $sp == "${box}") {
    loose_route();
    if (!is_method("REGISTER")) { record_route(); }
    if ($du == $null && $rd == "${provider.split(':')[0]}") { $du = "sip:${provider}"; }
    t_relay();
    exit;
  }
  if (is_method("REGISTER")) { add_path_received(); } else { record_route(); }
  $du = "sip:${box}";
  t_relay();
}
`

export class KamailioEdge {
  readonly #child: ChildProcess
  readonly #dir: string
  output = ''

  private constructor(child: ChildProcess, dir: string) {
    this.#child = child
    this.#dir = dir
    const collect = (text: Buffer) => (this.output = (this.output + text.toString()).slice(-20_000))
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
  }

  static start(options: EdgeOptions): KamailioEdge {
    const dir = mkdtempSync(join(tmpdir(), 'kamailio-edge-'))
    const libraries = readdirSync('/usr/lib').map((name) => join('/usr/lib', name, 'kamailio/modules'))
    mkdirSync(join(dir, 'run'))
    const file = join(dir, 'kamailio.cfg')
    writeFileSync(file, settings(options, `${libraries.find((name) => existsSync(name)) ?? '/usr/lib/kamailio/modules'}/`))
    const check = spawnSync(program, ['-c', '-f', file], { encoding: 'utf8' })
    if (check.status !== 0) throw new Error(`Kamailio does not take its configuration: ${check.stderr.slice(-800)}`)
    const child = spawn(program, ['-DD', '-E', '-f', file, '-P', join(dir, 'run/pid'), '-Y', join(dir, 'run'), '-m', '64', '-M', '8'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    endWithUs(child)
    return new KamailioEdge(child, dir)
  }

  async close(): Promise<void> {
    const gone = new Promise((done) => this.#child.once('exit', done))
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGTERM')
      const late = setTimeout(() => this.#child.kill('SIGKILL'), 4000)
      await gone
      clearTimeout(late)
    }
    rmSync(this.#dir, { recursive: true, force: true })
  }
}
