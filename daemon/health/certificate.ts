/** The certificate of the web port, as its file has it. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isoTime } from '../base/clock.ts'
import type { CertificateView } from '../schema/health.ts'

const dayMs = 86_400_000

/** null where there is none, or none that can be read. */
export function certificateOf(file: string | undefined, now: number): CertificateView | null {
  if (file === undefined) return null
  try {
    const leaf = new X509Certificate(readFileSync(file))
    const until = Date.parse(leaf.validTo)
    return {
      ...{ subject: oneLine(leaf.subject), issuer: oneLine(leaf.issuer), names: namesOf(leaf), fingerprint: leaf.fingerprint256 },
      ...{ validFrom: isoTime(Date.parse(leaf.validFrom)), validTo: isoTime(until), daysLeft: Math.floor((until - now) / dayMs) },
      selfSigned: leaf.checkIssued(leaf),
    }
  } catch {
    return null
  }
}

const oneLine = (name: string): string => name.replaceAll('\n', ', ')

function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName.split(', ').flatMap((name) => /^(?:DNS|IP Address):(.*)$/.exec(name)?.[1] ?? [])
}
