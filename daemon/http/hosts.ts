/**
 * Whether the header Host names this box. A page of somebody else whose name was made to point here (DNS rebinding) has its own name there;
 * an address cannot be made to point elsewhere, and who sends no Host at all is no browser.
 */
import { isIP } from 'node:net'
import { hostname } from 'node:os'

/** `more`: names by which people, phones and programs reach it. */
export function namesOf(more: readonly string[]): ReadonlySet<string> {
  const own = hostname().toLowerCase()
  const short = own.split('.')[0]!
  return new Set(['localhost', own, short, `${short}.local`, ...more.map((name) => name.toLowerCase())])
}

export function isOurs(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true
  const [, inBrackets, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.trim().toLowerCase()) ?? []
  const name = (inBrackets ?? plain ?? '').replace(/\.$/, '')
  return isIP(name) !== 0 || name.endsWith('.localhost') || names.has(name)
}
