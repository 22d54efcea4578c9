/**
 * What a taken-over reader of PDFs or speech program would try: the network, files, other programs. Prints one line of JSON, the names
 * of what it got. Arguments: a file that it must not read, a file that it must not change, a port and a socket that must not hear of it.
 */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createSocket } from 'node:dgram'
import { connect, createServer, type Socket } from 'node:net'

const [secret = '', mine = '', port = '', socket = ''] = process.argv.slice(2)
const got: string[] = []
const attempt = (what: string, deed: () => unknown): void => {
  try {
    deed()
    got.push(what)
  } catch {
    // Refused.
  }
}
const connected = (to: Socket): Promise<boolean> =>
  new Promise((resolve) => to.once('connect', () => resolve(true)).once('error', () => resolve(false)))

attempt('another file of the daemon', () => fs.readFileSync(secret))
attempt('/etc/passwd', () => fs.readFileSync('/etc/passwd'))
attempt('/etc/shadow', () => fs.readFileSync('/etc/shadow'))
attempt("the daemon's environment", () => fs.readFileSync(`/proc/${process.ppid}/environ`))
attempt("the daemon's memory", () => fs.openSync(`/proc/${process.ppid}/mem`, 'r'))
attempt('a new file', () => fs.writeFileSync(`${mine}.new`, 'x'))
attempt('a changed file', () => fs.appendFileSync(mine, 'x'))
attempt('an emptied file', () => fs.openSync(mine, fs.constants.O_RDONLY | fs.constants.O_TRUNC))
attempt('a cut file', () => fs.truncateSync(mine))
attempt('a file open to all', () => fs.chmodSync(mine, 0o666))
attempt('a removed file', () => fs.unlinkSync(mine))
attempt('a link', () => fs.symlinkSync('/etc', `${mine}.link`))
attempt('a renamed file', () => fs.renameSync(mine, `${mine}.other`))
attempt('a folder', () => fs.mkdirSync(`${mine}.folder`))
attempt('shared memory', () => fs.writeFileSync('/dev/shm/pbx-hostile', 'x'))
attempt('a signal to the daemon', () => process.kill(process.ppid, 0))
if (await connected(connect(Number(port), '127.0.0.1'))) got.push('a TCP connection')
if (await connected(connect(socket))) got.push('the control socket')
const listening = createServer()
if (await new Promise((resolve) => listening.once('error', () => resolve(false)).listen(0, '127.0.0.1', () => resolve(true))))
  got.push('a listener')
listening.close()
const datagrams = createSocket('udp4')
if (await new Promise((resolve) => datagrams.once('error', () => resolve(false)).bind(0, '127.0.0.1', () => resolve(true))))
  got.push('a UDP socket')
datagrams.close()
if (process.argv.includes('--fork')) {
  // It may start programs, but not without end.
  const bomb = 'i=0; while [ $i -lt 300 ]; do sleep 5 >&- 2>&- & i=$((i+1)); done'
  if (spawnSync('/bin/sh', ['-c', bomb]).status === 0) got.push('a fork bomb')
} else if (spawnSync('/bin/true').status === 0) got.push('another program')
fs.writeSync(1, `${JSON.stringify(got)}\n`)
process.exit(0)
