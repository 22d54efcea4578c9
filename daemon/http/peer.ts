/**
 * Who asks on the control socket. Node cannot read SO_PEERCRED, so the small program pbxd-peer (systemd/peer.c) is started with the
 * connection and says the user that opened it. Asked only for what the audit trail records, once a connection.
 */
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Log } from '../base/log.ts'

const unknownUser = 'local user (unknown)'
const limitMs = 2000

/** As `actor` of an audit row. Never rejects. */
export type PeerOf = (socket: Socket) => Promise<string>

export function peerReader(options: { readonly helper: string; readonly log: Log }): PeerOf {
  const known = new WeakMap<Socket, Promise<string>>()
  return (socket) => {
    let peer = known.get(socket)
    if (peer === undefined) known.set(socket, (peer = ask(socket, options)))
    return peer
  }
}

async function ask(socket: Socket, { helper, log }: { readonly helper: string; readonly log: Log }): Promise<string> {
  try {
    const said = /^(\d+) \d+ ([\w.-]+\$?)\n$/.exec(await run(helper, socket))
    if (said !== null) return `user:${said[2]}${said[2] === said[1] ? '' : ` (${said[1]})`}`
    log.warn({ helper }, 'the user on the control socket is not known: pbxd-peer gave no answer')
  } catch (error) {
    log.warn({ err: error, helper }, 'the user on the control socket is not known: scripts/setup builds the missing program pbxd-peer')
  }
  return unknownUser
}

/**
 * The descriptor is handed over as a number, since Node would stop reading from a socket that it hands over, and as the fourth, since
 * libuv would make one of the first three blocking, for us as well.
 */
function run(helper: string, socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const fd = (socket as { _handle?: { fd?: number } | null })._handle?.fd
    if (fd === undefined || fd < 0) throw new Error('the connection is closed')
    const child = spawn(helper, [], { stdio: ['ignore', 'pipe', 'ignore', fd], env: {}, timeout: limitMs })
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    child.once('error', reject)
    child.once('close', () => resolve(text))
  })
}
