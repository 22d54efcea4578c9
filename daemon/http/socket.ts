/**
 * The technician's socket: the HTTP interface over a unix socket, for the `pbx` program on the same machine, with routes of its own.
 * Who may open the socket may do everything, so its folder (0750) and the socket (0660) are the protection; nothing here listens on a
 * network.
 */
import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import type { Trail } from '../audit/trail.ts'
import { systemClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { SocketGate } from './gate.ts'
import { openListener } from './listener.ts'
import { Pipeline } from './pipeline.ts'
import type { Route } from './route.ts'
import { spawn } from 'node:child_process'

/**
 * Who asks on the control socket. Node cannot read SO_PEERCRED, so the small program pbxd-peer (systemd/peer.c) is started with the
 * connection and says the user that opened it. Asked only for what the audit trail records, once a connection.
 */
const unknownUser = 'local user (unknown)'
const limitMs = 2000

/** As `actor` of an audit row. Never rejects. */
type PeerOf = (socket: Socket) => Promise<string>

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

const limits = { bodyBytes: 64 * 1024, largeBodies: 4 }
/** For handlers whose client was cut off. */
const lastWordMs = 1000
/** Longest path the kernel takes for a unix socket (sun_path without its final zero). */
const pathLimit = 107

export interface ControlSocket {
  readonly socket: string
  /** Closes the socket, cuts requests that still run, and removes the file. */
  close(): Promise<void>
}

export interface ControlSocketOptions {
  readonly socket: string
  readonly routes: readonly Route[]
  readonly log: Log
  /** IANA name of the zone of the site, sent with every answer (`X-Time-Zone`): its times are shown to people. */
  readonly timeZone?: string
  /** Where deeds are recorded, and who did them; without it none is. */
  readonly audited?: { readonly trail: Trail; readonly peerOf: PeerOf }
}

/** Rejects when another daemon answers on the socket, or when something that is no socket stands in its place. */
export async function startSocket({ socket, routes, log, timeZone, audited }: ControlSocketOptions): Promise<ControlSocket> {
  if (Buffer.byteLength(socket) > pathLimit)
    throw new Error(`control.socket is longer than the ${pathLimit} bytes a unix socket may have: ${socket}`)
  makeFolder(dirname(socket))
  await removeStale(socket)
  const gate = new SocketGate((peer) => (audited === undefined ? Promise.resolve('') : audited.peerOf(peer)))
  const trail = audited === undefined ? {} : { trail: audited.trail }
  const pipeline = new Pipeline({ routes, gate, limits, log, clock: systemClock, door: { secure: false, proxies: null }, ...trail })
  const listener = await openListener({ path: socket }, (res, req) => {
    if (timeZone !== undefined) res.writeHeader('X-Time-Zone', timeZone)
    pipeline.accept(res, req)
  })
  chmodSync(socket, 0o660)
  return {
    socket,
    async close() {
      listener.stop()
      listener.close()
      await pipeline.stop(lastWordMs)
    },
  }
}

/** The mode is set apart from mkdir's, which a strict umask would narrow to the daemon's own user. */
function makeFolder(dir: string): void {
  if (mkdirSync(dir, { recursive: true }) !== undefined) chmodSync(dir, 0o750)
}

async function removeStale(socket: string): Promise<void> {
  const found = lstatSync(socket, { throwIfNoEntry: false })
  if (!found) return
  if (!found.isSocket()) throw new Error(`${socket} exists and is not a socket: remove it, or set another control.socket`)
  if (await answers(socket)) throw new Error(`another pbxd answers on ${socket}: stop it first (pbx --socket ${socket} status)`)
  unlinkSync(socket)
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket)
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false))
    probe.once('connect', () => probe.destroy())
  })
}
