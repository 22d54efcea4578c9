/** Faults of the system in words: people read them, and root sees the rights of whoever owns the folder. */
import { isRoot } from '../../daemon/base/owner.ts'

const words: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  EEXIST: 'something is there already',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  ENOTEMPTY: 'the folder is not empty',
  ELOOP: 'it is a link',
  ENXIO: 'it is a pipe or a socket',
  ENAMETOOLONG: 'its name is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EROFS: 'the disk can only be read',
  EXDEV: 'it lies on another disk',
  ETXTBSY: 'it is a program that runs',
}

function wordsFor(code: string, description: string): string {
  if (code === 'EACCES' || code === 'EPERM')
    return isRoot() ? 'the owner of its folder may not do that' : 'this user may not (run it as root)'
  return words[code] ?? description
}

/** As Node writes them: `ENOENT: no such file or directory, open '/a'`. A path that is not named yet stays. */
export function plain(message: string): string {
  return message.replaceAll(
    /\b(?:Error: )?(E[A-Z0-9]{3,}): ([^,\n]+), [a-z]+(?: '([^'\n]*)')?(?: -> '[^'\n]*')?/g,
    (_, code: string, description: string, path: string | undefined, at: number) => {
      const said = wordsFor(code, description)
      return path === undefined || message.slice(0, at).includes(path) ? said : `${path}: ${said}`
    },
  )
}

/** Whether it is a fault of the system and not one of this program. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'
}
