/** The certificate of the box, signed by itself. */
import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { chmodSync, chownSync, existsSync, readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { CommandError } from '../client.ts'

/** Signed by itself, for ten years; the fingerprint is for the sheet. One that is there stays. */
export function certificate({ cert, key }: { cert: string; key: string }, address: string): string {
  if (!existsSync(cert)) {
    const subject = ['-subj', `/CN=${hostname()}`, '-addext', `subjectAltName=DNS:${hostname()},IP:${address}`]
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '3650']
    const run = spawnSync('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', cert], { encoding: 'utf8' })
    if (run.status !== 0)
      throw new CommandError(`no certificate could be made: ${run.error?.message ?? run.stderr.trim().split('\n').at(-1)}`)
    chmodSync(key, 0o640)
    chmodSync(cert, 0o644)
    if (process.getuid?.() === 0) chownSync(key, 0, statSync(dirname(cert)).gid)
  }
  return new X509Certificate(readFileSync(cert)).fingerprint256
}
