/**
 * Whether the header Host names this box. A page of somebody else whose name was made to point here (DNS rebinding) has its own name there;
 * an address cannot be made to point elsewhere, and who sends no Host at all is no browser.
 */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { isOfThisMachine } from './address.ts'

export interface NamingFiles {
  /** hosts(5). */
  readonly hosts: string
  /** resolv.conf(5). */
  readonly resolver: string
}

const ofTheSystem: NamingFiles = { hosts: '/etc/hosts', resolver: '/etc/resolv.conf' }

/**
 * `more`: names by which people, phones and programs reach it. Besides, what the machine itself says of its names: its host name, alone and in
 * the domains of its network, and what its own addresses are called.
 */
export function namesOf(more: readonly string[], files = ofTheSystem): ReadonlySet<string> {
  const own = hostname().toLowerCase()
  const short = own.split('.')[0]!
  const inDomains = domainsIn(linesOf(files.resolver)).map((domain) => `${short}.${domain}`)
  const named = linesOf(files.hosts).flatMap(([address = '', ...names]) => (isOfThisMachine(address) ? names : []))
  const all = ['localhost', own, short, `${short}.local`, ...inDomains, ...named, ...more]
  return new Set(all.map((name) => name.toLowerCase().replace(/\.$/, '')))
}

/** The words of each line; none where the file cannot be read. */
function linesOf(file: string): string[][] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) =>
        line
          .replace(/[#;].*/, '')
          .split(/\s+/)
          .filter(Boolean),
      )
  } catch {
    return []
  }
}

function domainsIn(lines: readonly string[][]): string[] {
  return lines
    .flatMap(([word, ...domains]) => (word === 'search' || word === 'domain' ? domains : []))
    .map((domain) => domain.replace(/^\.+|\.+$/g, ''))
    .filter((domain) => domain !== '')
}

export function isOurs(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true
  const [, inBrackets, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.trim().toLowerCase()) ?? []
  const name = (inBrackets ?? plain ?? '').replace(/\.$/, '')
  return isIP(name) !== 0 || name.endsWith('.localhost') || names.has(name)
}
