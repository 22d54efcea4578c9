/**
 * Kamailio 5.6 (Debian's package) as a provider's edge: registrar with digest, proxy with Record-Route, over UDP, TCP, TLS and IPv6. A number
 * `codeNNN` is refused with NNN; the number of an account is sent to the contact of the account, as registrars do.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Authority } from '../../../harness/authority.ts'
import { freePort } from '../../../harness/daemon.ts'
import { endWithUs } from '../../../harness/processes.ts'
import { pause } from '../box.ts'

const program = '/usr/sbin/kamailio'
export const noKamailio = existsSync(program) ? false : 'there is no Kamailio: apt-get install kamailio kamailio-tls-modules'

export const host = '127.0.0.3'
/** Accounts and their numbers. */
export const numbers = { clinic: '+15550001000', fax: '+15550001999' } as const
export const accountPassword = 'secret'

const modules = ['tls', 'kex', 'tm', 'sl', 'rr', 'pv', 'maxfwd', 'usrloc', 'registrar', 'textops', 'siputils', 'auth']

function settings(port: number, tlsPort: number, dir: string, path: string): string {
  const routes = Object.entries(numbers).map(([user, number]) => `  if ($rU == "${number}") { $rU = "${user}"; }`)
  return `#!KAMAILIO
debug=1
log_stderror=yes
children=2
tcp_children=2
enable_tls=yes
auto_aliases=no
alias="clinic.test"
listen=udp:${host}:${port}
listen=tcp:${host}:${port}
listen=tls:${host}:${tlsPort}
listen=udp:[::1]:${port}
mpath="${path}"
${modules.map((name) => `loadmodule "${name}.so"`).join('\n')}
modparam("tls", "certificate", "${dir}/kamailio.pem")
modparam("tls", "private_key", "${dir}/kamailio.key")
modparam("tls", "ca_list", "${dir}/ca.pem")
modparam("tls", "tls_method", "TLSv1.2+")
modparam("usrloc", "db_mode", 0)
modparam("rr", "enable_full_lr", 1)
modparam("rr", "enable_double_rr", 1)
modparam("tm", "fr_timer", 5000)
modparam("tm", "failure_reply_mode", 3)

request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (is_method("OPTIONS") && uri == myself) { sl_send_reply("200", "OK"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) { t_relay(); } exit; }
  if (has_totag()) {
    if (loose_route()) { t_relay(); exit; }
    if (is_method("ACK")) { if (t_check_trans()) { t_relay(); } exit; }
    sl_send_reply("404", "Not Here"); exit;
  }
  t_check_trans();
  if (is_method("REGISTER")) {
    if (!pv_auth_check("clinic.test", "${accountPassword}", "0", "0")) { auth_challenge("clinic.test", "0"); exit; }
    save("location");
    exit;
  }
  # A telephone of the provider's own network is believed; an account proves itself.
  if (!($fU =~ "^2[0-9][0-9][0-9]$")) {
    if (!pv_proxy_authenticate("clinic.test", "${accountPassword}", "0")) { proxy_challenge("clinic.test", "0"); exit; }
    consume_credentials();
  }
  if ($rU =~ "^code[3-6][0-9][0-9]$") {
    $var(code) = $(rU{s.substr,4,3}{s.int});
    t_newtran();
    t_reply("$var(code)", "As asked for");
    exit;
  }
${routes.join('\n')}
  if (!lookup("location")) { sl_send_reply("404", "Not Found"); exit; }
  record_route();
  t_relay();
}
`
}

export class Kamailio {
  readonly port: number
  readonly tlsPort: number
  /** PEM file of the authority that its certificate (for sip.clinic.test) comes from. */
  readonly caFile: string
  readonly authority: Authority
  output = ''
  readonly #child: ChildProcess
  readonly #dir: string

  private constructor(child: ChildProcess, dir: string, authority: Authority, ports: { port: number; tlsPort: number }) {
    this.#child = child
    this.#dir = dir
    this.authority = authority
    this.caFile = authority.file
    this.port = ports.port
    this.tlsPort = ports.tlsPort
    const collect = (text: Buffer) => (this.output = (this.output + text.toString()).slice(-20_000))
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
  }

  static async start(): Promise<Kamailio> {
    const dir = mkdtempSync(join(tmpdir(), 'kamailio-'))
    const authority = await Authority.create(dir)
    const { cert, key } = await authority.issue('kamailio', `DNS:sip.clinic.test,DNS:kamailio.clinic.test,IP:${host}`)
    if (cert !== join(dir, 'kamailio.pem') || key !== join(dir, 'kamailio.key')) throw new Error('the certificate lies elsewhere')
    const ports = { port: await freePort(host), tlsPort: await freePort(host) }
    const libraries = readdirSync('/usr/lib').map((name) => join('/usr/lib', name, 'kamailio/modules'))
    const path = `${libraries.find((name) => existsSync(name)) ?? '/usr/lib/kamailio/modules'}/`
    mkdirSync(join(dir, 'run'))
    writeFileSync(join(dir, 'kamailio.cfg'), settings(ports.port, ports.tlsPort, dir, path))
    const words = ['-DD', '-E', '-f', join(dir, 'kamailio.cfg'), '-P', join(dir, 'run/pid'), '-Y', join(dir, 'run'), '-m', '64', '-M', '8']
    const check = spawnSync(program, ['-c', '-f', join(dir, 'kamailio.cfg')], { encoding: 'utf8' })
    if (check.status !== 0)
      throw new Error(
        `Kamailio does not take its configuration: ${check.stderr
          .split('\n')
          .filter((line) => /ERROR|CRITICAL/.test(line))
          .slice(0, 3)
          .join(' | ')}`,
      )
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] })
    endWithUs(child)
    const kamailio = new Kamailio(child, dir, authority, ports)
    for (let attempt = 0; ; attempt += 1) {
      if (child.exitCode !== null || attempt > 200) throw new Error(`Kamailio did not start: ${kamailio.output.slice(-800)}`)
      if (await listens(ports.tlsPort)) return kamailio
      await pause(50)
    }
  }

  /** SIGTERM: its main process ends the others. */
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

function listens(port: number): Promise<boolean> {
  const socket = connect(port, host)
  return new Promise((resolve) => {
    socket.once('connect', () => (socket.destroy(), resolve(true)))
    socket.once('error', () => resolve(false))
  })
}
