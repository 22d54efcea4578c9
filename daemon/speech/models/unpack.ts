/**
 * Takes single files out of an archive with Debian's tar. Nothing is unpacked by tar itself: it lists first, then writes
 * the wanted files to its output, which is cut into files here. So no link, no `..` and no name of the archive's ever
 * reaches the disk, and what is too large stops at once.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { ModelError, type ModelFileEntry } from './catalogue.ts'

export type ArchiveForm = 'tar.bz2' | 'tgz'

export interface UnpackOptions {
  readonly signal?: AbortSignal
  /** Most that the files may have together, and all of the archive. */
  readonly mostBytes: number
  readonly mostArchiveBytes: number
}

interface Member {
  readonly file: ModelFileEntry
  /** As the archive writes it. */
  readonly name: string
  readonly bytes: number
}

const mostMembers = 5000

/** Writes the files into `folder` and resolves with their sha256 by name. @throws ModelError */
export async function unpack(
  archive: string,
  form: ArchiveForm,
  files: readonly ModelFileEntry[],
  folder: string,
  options: UnpackOptions,
): Promise<Map<string, string>> {
  const members = await listed(archive, form, files, options)
  const tar = startTar(archive, form, ['--extract', '--to-stdout', '--no-wildcards', '--', ...members.map(({ name }) => name)], options)
  // Read from the first moment: what a child has written when it ends and nobody reads yet is thrown away.
  const output = tar.child.stdout?.pipe(new PassThrough())
  if (output === undefined) throw new Error('tar has no output')
  const pieces = output[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let rest: Buffer = Buffer.alloc(0)
  const hashes = new Map<string, string>()
  try {
    for (const { file, bytes } of members) {
      const hash = createHash('sha256')
      const target = await open(join(folder, file.name), 'wx', 0o644)
      try {
        for (let left = bytes; left > 0;) {
          if (rest.length === 0) {
            const { value, done } = await pieces.next()
            if (done === true) throw new ModelError('bad-archive', `${file.path} ends too early in the archive${await tar.why()}`)
            rest = value
          }
          const piece = rest.subarray(0, left)
          rest = rest.subarray(piece.length)
          left -= piece.length
          hash.update(piece)
          await target.writeFile(piece)
        }
        await target.sync()
      } finally {
        await target.close()
      }
      const sha256 = hash.digest('hex')
      if (file.sha256 !== undefined && sha256 !== file.sha256)
        throw new ModelError(
          'wrong-content',
          `${file.path} in the archive is not the expected file: its sha256 is ${sha256} instead of ${file.sha256}`,
        )
      hashes.set(file.name, sha256)
    }
  } catch (error) {
    if (options.signal?.aborted) throw new ModelError('aborted', 'stopped')
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
      throw new ModelError('no-space', 'the disk is full', 'free space, then install again')
    throw error
  } finally {
    tar.child.kill('SIGKILL')
  }
  return hashes
}

/** The wanted members in the archive's order, each there once and a plain file. */
async function listed(archive: string, form: ArchiveForm, files: readonly ModelFileEntry[], options: UnpackOptions): Promise<Member[]> {
  const wanted = new Map(files.map((file) => [file.path, file]))
  const found: Member[] = []
  const tar = startTar(archive, form, ['--list', '--verbose', '--numeric-owner', '--quoting-style=escape', '--full-time'], options)
  let members = 0
  let total = 0
  try {
    for await (const line of createInterface({ input: tar.child.stdout! })) {
      // Mode, owner/group, size, date, time (with a zone or fraction), name; the name of a link goes on with its target.
      const [, type, size = '', name = ''] = /^(.)\S* \S+ +(\d+) \S+ \S+ (.+)$/.exec(line) ?? []
      members += 1
      total += Number(size)
      if (members > mostMembers || total > options.mostArchiveBytes)
        throw new ModelError('bad-archive', 'the archive holds far more than it should')
      const plain = name.replace(/^\.\//, '')
      const file = wanted.get(plain)
      const linked = [...wanted.keys()].some(
        (path) => (type !== '-' && (plain === path || plain.startsWith(`${path} `))) || plain.startsWith(`${path}/`),
      )
      if (linked) throw new ModelError('bad-archive', `${name} in the archive is not a plain file`)
      if (file === undefined) continue
      if (found.some((member) => member.file === file)) throw new ModelError('bad-archive', `${name} is in the archive twice`)
      const bytes = Number(size)
      if (file.bytes !== undefined && bytes !== file.bytes)
        throw new ModelError('wrong-content', `${name} in the archive has ${bytes} bytes instead of ${file.bytes}`)
      if (bytes === 0) throw new ModelError('bad-archive', `${name} in the archive is empty`)
      found.push({ file, name, bytes })
    }
    const code = await tar.ended
    if (options.signal?.aborted) throw new ModelError('aborted', 'stopped')
    if (code !== 0) throw new ModelError('bad-archive', `the archive cannot be read${await tar.why()}`, tar.fix())
  } finally {
    tar.child.kill('SIGKILL')
  }
  const missing = files.find((file) => !found.some((member) => member.file === file))
  if (missing !== undefined) throw new ModelError('bad-archive', `${missing.path} is not in the archive`)
  const sum = found.reduce((bytes, member) => bytes + member.bytes, 0)
  if (sum > options.mostBytes) throw new ModelError('bad-archive', `the files would take ${sum} bytes, far more than they should`)
  return found
}

interface Tar {
  readonly child: ChildProcess
  /** Exit code; null when it was killed. */
  readonly ended: Promise<number | null>
  /** `: what tar said`, or ''. */
  why(): Promise<string>
  fix(): string
}

function startTar(archive: string, form: ArchiveForm, args: readonly string[], options: UnpackOptions): Tar {
  const child = spawn('tar', ['--file', archive, '--force-local', form === 'tgz' ? '--gzip' : '--bzip2', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(options.signal === undefined ? {} : { signal: options.signal, killSignal: 'SIGKILL' }),
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)))
  child.on('error', (error: NodeJS.ErrnoException) => (said ||= error.code === 'ENOENT' ? 'tar is not installed' : error.message))
  const ended = once(child, 'close').then(
    ([code]) => code as number | null,
    () => null,
  )
  return {
    child,
    ended,
    why: async () => {
      await ended
      const line = said.split('\n').find((text) => text.trim() !== '')
      return line === undefined ? '' : `: ${line.trim()}`
    },
    fix: () => (/bzip2.*(No such file|not found|Cannot exec)/i.test(said) ? 'apt-get install bzip2' : ''),
  }
}
