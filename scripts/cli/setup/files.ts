/** What setup leaves on the disk: files with passwords, which only their owner may read, and the certificate of the box. */
import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { accessSync, chmodSync, chownSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, resolve } from 'node:path'
import { writeFresh } from '../../../daemon/base/owner.ts'
import { CommandError } from '../client.ts'

/** Takes the place of what was there, a link too, whole or not at all. */
export function writePrivate(file: string, text: string): void {
  writeFresh(file, text, 0o600)
}

/** @throws CommandError that says so before anybody has answered a question. */
export function refuseUnwritable(file: string, fix: string): void {
  const folder = dirname(resolve(file))
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const why = code === 'ENOENT' ? 'does not exist' : code === 'EROFS' ? 'is read-only' : 'is not writable for this user'
    throw new CommandError(`${folder} ${why}`, { fix })
  }
}

/** Signed by itself, for ten years; the fingerprint is for the sheet. One that is there stays. */
export function certificate({ cert, key }: { cert: string; key: string }, address: string): string {
  if (!existsSync(cert)) {
    const subject = ['-subj', `/CN=${hostname()}`, '-addext', `subjectAltName=DNS:${hostname()},IP:${address}`]
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '3650']
    const run = spawnSync('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', cert], { encoding: 'utf8' })
    if (run.status !== 0)
      throw new CommandError(`the certificate could not be made: ${run.error?.message ?? run.stderr.trim().split('\n').at(-1)}`)
    chmodSync(key, 0o640)
    chmodSync(cert, 0o644)
    if (process.getuid?.() === 0) chownSync(key, 0, statSync(dirname(cert)).gid)
  }
  return new X509Certificate(readFileSync(cert)).fingerprint256
}
