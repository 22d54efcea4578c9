/** Addresses: where phones and people reach this machine, and whether DNS knows the name of a provider. */
import { lookup, Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { parseListen } from '../schema/config/forms.ts'

/** The rules that Pacemaker got: on a machine of a pair. */
const pairRules = '/etc/pbxd-pair/cib.xml'

/** A pair is reached at its own address alone, whichever machine has it at the moment. */
export function ownAddresses(rules = pairRules): string[] {
  const pair = pairAddress(rules)
  if (pair !== null) return [pair]
  const all = Object.values(networkInterfaces()).flatMap((list = []) => list)
  return all.filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address)
}

function pairAddress(rules: string): string | null {
  try {
    return /<nvpair id="address-values-ip" name="ip" value="([0-9.]+)"/.exec(readFileSync(rules, 'utf8'))?.[1] ?? null
  } catch {
    return null
  }
}

/** What may be answered, the usual first. */
export function networkChoices(rules = pairRules): readonly string[] {
  const own = ownAddresses(rules)
  return pairAddress(rules) === null ? [...own, 'all', 'none'] : own
}

/** Null: this machine only. The sentence of what is wrong, and what repairs it, is thrown. */
export function addressOf(network: string, rules = pairRules): string | null {
  const own = ownAddresses(rules)
  if ((network === 'none' || network === 'all') && !networkChoices(rules).includes(network))
    throw new NoAddress('this machine is one of a pair', `its box is reached at ${own.join('')} alone: answer network: lan`)
  if (network === 'none') return null
  if (network === 'all') return '0.0.0.0'
  if (network !== 'lan') {
    if (!own.includes(network))
      throw new NoAddress(`this machine has no address ${network}`, `its addresses are: ${own.join(', ') || 'none'}`)
    return network
  }
  const [first] = own
  if (first === undefined) throw new NoAddress('this machine has no network', 'connect it, or answer network: none')
  return first
}

export class NoAddress extends Error {
  readonly fix: string

  constructor(message: string, fix: string) {
    super(message)
    this.fix = fix
  }
}

/** DNS said that there is none. Whatever else went wrong is no verdict on the name. */
const none = new Set(['ENOTFOUND', 'ENODATA'])
const patienceMs = 3000

/** `server`: a name or an address, with or without a port. The sentence of what is wrong with it; null for nothing. */
export async function unknownName(server: string, resolver = new Resolver({ timeout: patienceMs, tries: 1 })): Promise<string | null> {
  const host = (parseListen(server)?.host ?? server).replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 || (await inHosts(host))) return null
  const services = ['_sip._udp.', '_sip._tcp.', '_sips._tcp.'].map((service) => resolver.resolveSrv(`${service}${host}`))
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host), resolver.resolveNaptr(host), ...services])
  const isNone = (answer: PromiseSettledResult<unknown>): boolean =>
    answer.status === 'rejected' && none.has((answer.reason as NodeJS.ErrnoException).code ?? '')
  return answers.every(isNone) ? `DNS does not know the name ${host}: check how the provider writes its server name` : null
}

/** As this machine knows names besides DNS. */
async function inHosts(host: string): Promise<boolean> {
  const given = new Promise<false>((resolve) => setTimeout(resolve, patienceMs, false).unref())
  return Promise.race([
    lookup(host).then(
      () => true,
      () => false,
    ),
    given,
  ])
}
