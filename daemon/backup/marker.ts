/**
 * That a restore is decided, and what is still to be moved: read by root, who believes nothing that others could have written. Where
 * `storage.dir` belongs to another user it lies in a folder of root's, with the files that come to lie outside `storage.dir`.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { asOwner, asOwnerOf, ownerOf, UnsafePath, type Owner } from '../base/owner.ts'
import { notesOf, type Notes } from './places.ts'

export interface Marker {
  /** What is moved aside, and what is moved in, below `storage.dir`. */
  readonly old: readonly string[]
  readonly next: readonly string[]
  readonly outer: readonly { readonly from: string; readonly to: string }[]
}

/** @throws UnsafePath where others could write into the folder of root's */
export function prepareNotes(storageDir: string, root: string): Notes {
  const notes = notesOf(storageDir, root)
  const parent = dirname(notes.folder)
  if (parent !== storageDir) {
    mkdirSync(parent, { recursive: true, mode: 0o755 })
    if (ownerOf(parent).uid !== 0) throw new UnsafePath(`${parent} does not belong to root`, `chown root ${parent}`)
    rmSync(notes.folder, { recursive: true, force: true })
  }
  mkdirSync(notes.folder, { recursive: true, mode: 0o700 })
  return notes
}

export function writeMarker(file: string, marker: Marker): void {
  writeFileSync(`${file}.part`, JSON.stringify(marker), { mode: 0o600, flush: true })
  renameSync(`${file}.part`, file)
  syncFolder(dirname(file))
}

export function readMarker(file: string): Marker {
  return JSON.parse(readFileSync(file, 'utf8')) as Marker
}

/** With the rights of its owner, as all that is done in it. */
export function syncFolder(dir: string): void {
  const handle = asOwnerOf(dir, () => openSync(dir, 'r'))
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** A folder below `storageDir` is removed by the owner of that. @throws UnsafePath where it is another's */
export function removeOwned(path: string, owner: Owner): void {
  try {
    asOwner(owner, () => rmSync(path, { recursive: true, force: true }))
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    throw new UnsafePath(`${path} cannot be removed by the owner of its folder`, `rm -r ${path}`)
  }
}
