/** Why a backup cannot be made, opened or restored, in a sentence for the person who asked. `fix`: a command, or what to do. */
export class BackupError extends Error {
  readonly fix: string

  constructor(message: string, options: { fix?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'BackupError'
    this.fix = options.fix ?? ''
  }
}

const system: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EACCES: 'this user has no permission (run it as root)',
  EPERM: 'this user has no permission (run it as root)',
  ENOENT: 'it does not exist',
  EROFS: 'the disk is read-only',
}

/** A fault of the system in words. */
export function inWords(error: unknown): string {
  const { code, message, path } = error as NodeJS.ErrnoException
  const known = code === undefined ? undefined : system[code]
  if (known === undefined) return message
  return path === undefined ? known : `${path}: ${known}`
}
