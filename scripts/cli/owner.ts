/**
 * What the technician's root writes may lie in a folder of somebody else, who may have planted links there. A command that writes becomes
 * the folder's owner first: then a link gives its planter nothing that he could not do himself.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CommandError, exitCode } from './client.ts'

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Nobody else's. */
const root: Owner = { uid: 0, gid: 0 }
const mostLinks = 40

/**
 * Whose place it is: the owner of the first folder on the way from / that is not root's; root when there is none. A link is followed
 * where root alone can have made it.
 * @throws CommandError when others could put something else into the way
 */
export function ownerOf(path: string): Owner {
  return walk(path, false)
}

function walk(path: string, make: boolean): Owner {
  let rest = parts(resolve(path))
  let at = '/'
  let links = 0
  while (rest.length > 0) {
    const here = lstatSync(at)
    if (here.uid !== 0) return { uid: here.uid, gid: here.gid }
    const shared = (here.mode & 0o022) !== 0
    if (shared && (here.mode & constants.S_IFMT) === constants.S_IFDIR && !sticky(here))
      throw refused(`${at} belongs to root, and others may write into it`, `chmod go-w ${at}`)
    const [name = '', ...further] = rest
    const next = join(at, name)
    let found = lstatSync(next, { throwIfNoEntry: false })
    if (found === undefined) {
      if (!make) return shared ? refuseMissing(next) : root
      mkdirSync(next, { mode: 0o755 })
      found = lstatSync(next)
    }
    if (found.isSymbolicLink()) {
      if (shared)
        throw refused(`${next} is a link that somebody else may have made`, `name the folder itself, or remove the link: rm ${next}`)
      if ((links += 1) > mostLinks) throw refused(`${path} is links without an end`, '')
      const target = readlinkSync(next)
      rest = [...parts(resolve(at, target)), ...further]
      at = '/'
      continue
    }
    if (!found.isDirectory()) return { uid: found.uid, gid: found.gid }
    at = next
    rest = further
  }
  const { uid, gid, mode } = lstatSync(at)
  if (uid === 0 && (mode & 0o022) !== 0 && make) throw refused(`${at} belongs to root, and others may write into it`, `chmod go-w ${at}`)
  return { uid, gid }
}

const parts = (path: string): string[] => path.split('/').filter((part) => part !== '')
const sticky = ({ mode }: Stats): boolean => (mode & 0o1000) !== 0

function refuseMissing(path: string): never {
  throw refused(`${path} is not there, and anybody may make it`, `mkdir ${path}`)
}

function refused(message: string, fix: string): CommandError {
  return new CommandError(message, { exit: exitCode.failed, code: 'unsafe-path', fix })
}

/** Root becomes the owner of the place, for good; where it is root's alone, the folder is made. Others stay who they are. */
export function becomeOwner(folder: string): void {
  if (process.getuid?.() !== 0) return
  become(walk(folder, true))
}

function become({ uid, gid }: Owner): void {
  if (uid === 0) return
  process.setgroups?.([gid])
  process.setgid?.(gid)
  process.setuid?.(uid)
}

/** Writes a file that a person named. Root does it as the owner of the folder, and into no file but its own. */
export function writeNamed(path: string, content: Uint8Array): void {
  if (process.getuid?.() !== 0) return writeFileSync(path, content)
  become(ownerOf(dirname(resolve(path))))
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644)
  try {
    const found = fstatSync(file)
    if (!found.isFile() || found.nlink !== 1 || found.uid !== process.getuid())
      throw refused(`${path} is there already and is not a file of your own`, `rm ${path}`)
    ftruncateSync(file)
    writeFileSync(file, content)
  } finally {
    closeSync(file)
  }
}
