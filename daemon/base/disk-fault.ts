/** What a disk does to a program: it is full, closed to us, broken, or somebody has taken the folder away. */
import { ApiError } from './errors.ts'

const codes = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'ENOENT', 'ENOTDIR', 'ESTALE', 'EFBIG']

/** Of an error of the file system or of the store; a port that cannot be opened is none. */
export function isDiskFault(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'storage_full' || (error.code === 'internal' && error.cause !== undefined)
  const { code, port } = error as { readonly code?: unknown; readonly port?: unknown }
  return typeof code === 'string' && codes.includes(code) && (port === undefined || port === -1)
}
