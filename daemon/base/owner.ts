/**
 * What root works on may lie in a folder of somebody else, who may have planted links, pipes and devices there, and may change them at any
 * moment. So root works there with the rights of that folder's owner: planted files then give an attacker nothing that the attacker could
 * not do anyway. Users other than root stay who they are.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** A place where others could put something else into the way. `fix`: a command, or ''. */
export class UnsafePath extends Error {
  readonly fix: string

  constructor(message: string, fix = '') {
    super(message)
    this.name = 'UnsafePath'
    this.fix = fix
  }
}

const root: Owner = { uid: 0, gid: 0 }
const mostLinks = 40
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants

export const isRoot = (): boolean => process.getuid?.() === 0

/**
 * Whose place it is: the owner of the first folder on the way from / that is not root's; root when there is none. A link is followed
 * where root alone can have made it.
 * @throws UnsafePath
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
      throw new UnsafePath(`${at} belongs to root, but other users can write into it`, `chmod go-w ${at}`)
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
        throw new UnsafePath(`${next} is a link that another user may have made`, `give the folder itself, or remove the link: rm ${next}`)
      if ((links += 1) > mostLinks) throw new UnsafePath(`${path} is a loop of links`)
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
  if (uid === 0 && (mode & 0o022) !== 0 && make)
    throw new UnsafePath(`${at} belongs to root, but other users can write into it`, `chmod go-w ${at}`)
  return { uid, gid }
}

const parts = (path: string): string[] => path.split('/').filter((part) => part !== '')
const sticky = ({ mode }: Stats): boolean => (mode & 0o1000) !== 0

function refuseMissing(path: string): never {
  throw new UnsafePath(`${path} does not exist, and any user could create it`, `mkdir ${path}`)
}

/** Root becomes the owner of the place, for good; where it is root's alone, the folder is made. */
export function becomeOwner(folder: string, { make = true }: { make?: boolean } = {}): void {
  if (!isRoot()) return
  const { uid, gid } = walk(folder, make)
  if (uid === 0) return
  setGroups(uid, gid)
  process.setgid?.(gid)
  process.setuid?.(uid)
}

/** All groups of the user, as at a login: the service reads files of the engine by such a one. */
function setGroups(uid: number, gid: number): void {
  try {
    ;(process as unknown as { initgroups(user: number, group: number): void }).initgroups(uid, gid)
  } catch {
    // It has no name.
    process.setgroups?.([gid])
  }
}

/** `work`, which must be synchronous, with the rights of that owner. */
export function asOwner<T>({ uid, gid }: Owner, work: () => T): T {
  if (!isRoot() || uid === 0 || process.geteuid?.() !== 0) return work()
  const groups = process.getgroups?.() ?? []
  const group = process.getegid?.() ?? 0
  try {
    setGroups(uid, gid)
    process.setegid?.(gid)
    process.seteuid?.(uid)
    return work()
  } finally {
    process.seteuid?.(0)
    process.setegid?.(group)
    process.setgroups?.(groups)
  }
}

/** Runs `work` with the rights of the owner of the place of `path`. */
export function asOwnerOf<T>(path: string, work: () => T): T {
  return isRoot() ? asOwner(ownerOf(path), work) : work()
}

/**
 * Opens a file for reading with the rights of its place's owner, or with those of `rights`. What somebody else laid there must be a file
 * with bytes: a pipe would never end.
 * @throws UnsafePath where it is none
 */
export function openToRead(path: string, rights?: Owner): number {
  const place = isRoot() ? ownerOf(path) : root
  if (place.uid === 0 && rights === undefined) return openSync(path, O_RDONLY)
  const handle = asOwner(rights ?? place, () => openSync(path, O_RDONLY | O_NONBLOCK))
  if (fstatSync(handle).isFile()) return handle
  closeSync(handle)
  throw new UnsafePath(`${path} is not a regular file`, `ls -l ${path}`)
}

/** Of a file that a person named and whose content stays with root: root's own file in somebody else's folder is one. */
export function openNamed(path: string): number {
  return isRoot() && ownerOf(dirname(resolve(path))).uid !== 0 ? openToRead(path, root) : openSync(path, O_RDONLY)
}

/** The same open file as a handle, in place of the descriptor. */
export async function asHandle(descriptor: number, flags: number = O_RDONLY): Promise<FileHandle> {
  try {
    return await open(`/proc/self/fd/${descriptor}`, flags)
  } finally {
    closeSync(descriptor)
  }
}

export function readBytes(path: string): Buffer {
  const handle = openToRead(path)
  try {
    return readFileSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Opens a file that is not there yet, and is no link. @throws EEXIST */
export function openNew(path: string, mode = 0o600): number {
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
  return asOwnerOf(dirname(resolve(path)), () => openSync(path, flags, mode))
}

export function writeNew(path: string, content: Uint8Array | string, mode = 0o600): void {
  const handle = openNew(path, mode)
  try {
    writeFileSync(handle, content)
  } finally {
    closeSync(handle)
  }
}

/** Takes the place of what was there, a link too, whole or not at all. */
export function writeFresh(path: string, content: Uint8Array | string, mode: number): void {
  const part = `${path}.part`
  asOwnerOf(dirname(resolve(path)), () => {
    rmSync(part, { force: true })
    try {
      writeFileSync(part, content, { mode, flag: 'wx', flush: true })
      renameSync(part, path)
    } catch (error) {
      rmSync(part, { force: true })
      throw error
    }
  })
}

/** Writes a file that a person named, be it there: root into no file but one of the folder's owner. */
export function writeNamed(path: string, content: Uint8Array, mode = 0o644): void {
  if (!isRoot()) return writeFileSync(path, content, { mode })
  const owner = ownerOf(dirname(resolve(path)))
  const file = asOwner(owner, () => openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode))
  try {
    const found = fstatSync(file)
    if (!found.isFile() || found.nlink !== 1 || found.uid !== owner.uid)
      throw new UnsafePath(`${path} already exists and is not your file`, `rm ${path}`)
    ftruncateSync(file)
    writeFileSync(file, content)
  } finally {
    closeSync(file)
  }
}
