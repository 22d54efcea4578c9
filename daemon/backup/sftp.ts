/** A copy of a backup at a server, by the sftp program of OpenSSH: under another name until it is there whole and was read again. */
import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isRoot, ownerOf } from '../base/owner.ts'
import { BackupError } from './error.ts'

export interface Server {
  /** USER@HOST, or HOST. */
  readonly host: string
  readonly port: string | null
  readonly folder: string
  /** An ssh_config file; null for the user's own. */
  readonly sshConfig: string | null
}

const place = /^sftp:\/\/((?:[A-Za-z0-9_.-]+@)?[A-Za-z0-9][A-Za-z0-9.-]*)(?::(\d{1,5}))?(\/[A-Za-z0-9_./-]*)$/

/** @throws BackupError */
export function serverOf(address: string, sshConfig: string | null = null): Server {
  const [, host, port = null, folder] = place.exec(address) ?? []
  if (host === undefined || folder === undefined)
    throw new BackupError(`${address} is not the address of a server`, { fix: 'write it as sftp://USER@HOST:PORT/FOLDER' })
  return { host, port, folder: folder.replace(/\/+$/, '') || '/', sshConfig }
}

/** Copies `file`, reads the copy, gives it its name, and removes what is older than the newest `keep` of the same box. */
export async function sendBackup(file: string, sha256: string, server: Server, keep: number): Promise<string> {
  // The sftp program knows nothing of the rights of a folder's owner.
  if (isRoot() && ownerOf(dirname(file)).uid !== 0)
    throw new BackupError(`${dirname(file)} does not belong to root, so another user could replace the file that root sends`, {
      fix: `chown root ${dirname(file)}`,
    })
  const name = basename(file)
  const at = (what: string): string => `"${join(server.folder, what)}"`
  await sftp(server, [`put "${file}" ${at(`.${name}.part`)}`])
  const back = mkdtempSync(join(dirname(file), '.back-'))
  try {
    const read = join(back, name)
    await sftp(server, [`get ${at(`.${name}.part`)} "${read}"`])
    if ((await sha256Of(read)) !== sha256)
      throw new BackupError(`${server.host}: the file on the server differs from the file that was sent`)
  } finally {
    rmSync(back, { recursive: true, force: true })
  }
  await sftp(server, [`rename ${at(`.${name}.part`)} ${at(name)}`])
  await removeOld(server, name.replace(/\d{8}T\d{6}Z\.tar\.age$/, ''), keep)
  return `sftp://${server.host}${server.port === null ? '' : `:${server.port}`}${join(server.folder, name)}`
}

async function removeOld(server: Server, prefix: string, keep: number): Promise<void> {
  const listed = await sftp(server, [`ls -1 "${server.folder}"`])
  const names = listed.split('\n').map((line) => basename(line.trim()))
  const ours = names.filter((name) => name.startsWith(prefix) && /^\d{8}T\d{6}Z\.tar\.age$/.test(name.slice(prefix.length)))
  const old = ours.toSorted().toReversed().slice(keep)
  if (old.length > 0)
    await sftp(
      server,
      old.map((name) => `rm "${join(server.folder, name)}"`),
    )
}

function sftp({ host, port, sshConfig }: Server, lines: readonly string[]): Promise<string> {
  // Nobody is there to type a password, or to say yes to a host that is not known.
  const child = spawn(
    'sftp',
    [
      '-b',
      '-',
      '-oBatchMode=yes',
      '-oConnectTimeout=20',
      ...(sshConfig === null ? [] : ['-F', sshConfig]),
      ...(port === null ? [] : ['-P', port]),
      '--',
      host,
    ],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  )
  let out = ''
  let error = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text))
  child.stdin.on('error', () => undefined)
  child.stdin.end(lines.map((line) => `@${line}\n`).join(''))
  return new Promise((resolve, reject) => {
    child.once('error', (fault) =>
      reject(new BackupError(`sftp cannot be started: ${fault.message}`, { fix: 'apt install openssh-client' })),
    )
    child.once('close', (code) => {
      if (code === 0) return resolve(out)
      // After the reason it always says that the connection is closed.
      const said = error.split(/\r?\n/).filter((line) => line.trim() !== '' && !/^Connection closed/.test(line))
      const why = said.at(-1) ?? ''
      reject(
        new BackupError(`${host} did not accept the backup: ${why === '' ? `sftp ended with ${code}` : why}`, {
          fix: `try as root: sftp ${host}`,
        }),
      )
    })
  })
}

/** Hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
