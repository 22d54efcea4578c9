/** Whether DNS knows the name of a provider, before anything is put to use: a wrong name is answered in a moment, and not by a silence. */
import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { parseListen } from '../../../daemon/schema/config/forms.ts'

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
  return answers.every(isNone) ? `DNS knows no name ${host}: look at how the provider writes its server` : null
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
