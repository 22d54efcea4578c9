/** Whether a certificate and its key can be used together, which would otherwise be seen when the listener is to be opened. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { MeaningContext } from '../meaning.ts'
import type { Path } from '../source.ts'

/** Files that are not there, or may not be read, are told elsewhere. */
export function checkPair(path: Path, { cert, key }: { cert: string; key: string }, { warning }: MeaningContext): void {
  const [certificate, secret] = [readable(cert), readable(key)]
  if (certificate === undefined || secret === undefined) return
  try {
    const whole = new X509Certificate(certificate)
    if (!whole.checkPrivateKey(createPrivateKey(secret)))
      warning([...path, 'key'], `${key} is the key of another certificate than ${cert}: nothing will be served with it`)
  } catch {
    warning(
      [...path, 'cert'],
      `${cert} and ${key} are no certificate and no key as PEM without a password: nothing will be served with them`,
    )
  }
}

function readable(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
