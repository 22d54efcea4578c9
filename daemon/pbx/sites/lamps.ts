/**
 * Lamps and message counts of the phones of other sites. This box follows each site of which a phone here watches something, once for all
 * phones. While a site is not reached nobody knows the state, and no phone is shown any.
 */
import type { MessageCounts, WatchedDialog } from '../../../drivers/pbx.ts'
import type { CodedWarning } from '../../base/health.ts'
import { ours, said } from '../../base/for-log.ts'
import { siteOf, type SiteLink } from '../../schema/config/sites.ts'
import type { Config } from '../../schema/config.ts'
import { takenBy } from '../lamps/dialogs.ts'
import type { RemoteLamps } from '../lamps/lamps.ts'
import { FollowedSite, type Fault, type FollowOptions } from './followed.ts'

type Tell = Parameters<RemoteLamps['onChange']>[0]

export interface SiteLampsOptions extends FollowOptions {
  readonly config: Pick<Config, 'sites' | 'extensions'>
}

export class SiteLamps implements RemoteLamps {
  readonly #options: SiteLampsOptions
  readonly #followed = new Map<string, { readonly written: string; readonly site: FollowedSite }>()
  #tell: Tell = () => undefined
  #stopped = false

  constructor(options: SiteLampsOptions) {
    this.#options = options
  }

  onChange(tell: Tell): void {
    this.#tell = tell
  }

  has(number: string): boolean {
    return siteOf(this.#options.config, number) !== undefined
  }

  dialogs(number: string): readonly WatchedDialog[] | null {
    const calls = this.#of(number)?.lamp(number)?.calls
    if (calls === undefined) return null
    return calls.map((call) => (call.state === 'early' && call.direction === 'recipient' ? { ...call, ...takenBy(call.id, number) } : call))
  }

  counts(number: string): MessageCounts | null {
    return this.#of(number)?.lamp(number)?.messages ?? null
  }

  *warnings(): Iterable<CodedWarning> {
    for (const [id, { site }] of this.#followed) {
      const fault = site.lastingFault()
      if (fault !== null) yield { code: `lamps-site-${id}`, ...warnings[fault](id) }
    }
  }

  /** A site that is reached otherwise now is followed again as soon as a lamp asks, which is at once. */
  reconfigured(): void {
    const { sites } = this.#options.config
    for (const [id, { written, site }] of this.#followed) {
      const link = sites.find((one) => one.id === id)
      if (link !== undefined && writtenOf(link) === written) continue
      this.#followed.delete(id)
      const numbers = site.numbers()
      void site.stop()
      for (const number of numbers) this.#tell(number, true)
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(Array.from(this.#followed.values(), ({ site }) => site.stop()))
  }

  /** The first lamp that asks for a phone of a site has the site followed from then on. */
  #of(number: string): FollowedSite | undefined {
    const link = siteOf(this.#options.config, number)
    if (link === undefined || this.#stopped) return undefined
    const known = this.#followed.get(link.id)
    if (known !== undefined) {
      known.site.asked(number)
      return known.site
    }
    const site = new FollowedSite(link, this.#options, (changed, ofMessages) => this.#tell(changed, ofMessages))
    this.#followed.set(link.id, { written: writtenOf(link), site })
    site.asked(number)
    site.start()
    return site
  }
}

const writtenOf = ({ api, token, caFile, extensions }: SiteLink): string => JSON.stringify([api, token, caFile, extensions])

const warnings: Readonly<Record<Fault, (id: string) => Omit<CodedWarning, 'code'>>> = {
  unset: (id) => ({
    severity: 'warning',
    text: said`Lamps of site ${ours(id)} are unknown: its entry in sites has no api and token`,
    fix: `at that box: pbx token create --name site --scope inbox; then write api and token of site ${id}`,
  }),
  away: (id) => ({
    severity: 'warning',
    text: said`Lamps of site ${ours(id)} are unknown: its web port does not answer`,
    fix: `check the network between the sites, and api of site ${id}`,
  }),
  token: (id) => ({
    severity: 'error',
    text: said`Lamps of site ${ours(id)} are unknown: it refuses the token`,
    fix: `at that box: pbx token create --name site --scope inbox; then write the token of site ${id}`,
  }),
  answer: (id) => ({
    severity: 'error',
    text: said`Lamps of site ${ours(id)} are unknown: this box does not understand its answer`,
    fix: `install the same version on both boxes; check api of site ${id}`,
  }),
}
