/** Looks at a file that may be gone, or on a disk that is gone, closed to us or broken: none of this is a reason to end. */
import { statSync, type Stats } from 'node:fs'

/** Undefined where there is nothing to be seen. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}
