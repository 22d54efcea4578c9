/** What a page does of a first set-up: the answers of `pbx setup`, kept between two visits, become a configuration on trial. */
import { randomBytes } from 'node:crypto'
import { parse } from 'yaml'
import { ApiError } from '../base/errors.ts'
import type { ConfigDesk } from '../config/desk.ts'
import { ConfigError } from '../config/load.ts'
import type { Config } from '../schema/config.ts'
import type { SetupBegunView, SetupLine, SetupView } from '../schema/setup.ts'
import type { Store } from '../store/store.ts'
import { addressOf, NoAddress, ownAddresses, unknownName } from './address.ts'
import { faultsOf, providers, type Answers, type Provider } from './answers.ts'
import { documentOf, type Present } from './document.ts'
import { mailAnswers, mailFaults, mailSections } from './office.ts'
import { otherSiteAnswers, otherSiteFaults, otherSiteSections } from './other-site.ts'

export interface SetupDeskOptions {
  readonly config: Config
  readonly desk: ConfigDesk | undefined
  readonly store: Store
  readonly lines: () => Promise<readonly SetupLine[]>
}

const key = 'setupAnswers'
const brought = [
  { answers: mailAnswers, faults: mailFaults, sections: mailSections },
  { answers: otherSiteAnswers, faults: otherSiteFaults, sections: otherSiteSections },
]

export class SetupDesk {
  readonly #options: SetupDeskOptions

  constructor(options: SetupDeskOptions) {
    this.#options = options
  }

  state(): SetupView {
    const { config, store } = this.#options
    const kept = store.tables.meta.get(key)
    return {
      needed: !isSetUp(config),
      answers: typeof kept === 'string' ? (JSON.parse(kept) as Record<string, unknown>) : {},
      addresses: ownAddresses(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      providers: Object.entries(providers).map(([kind, provider]: [string, Provider]) => ({ kind, server: null, ...provider })),
    }
  }

  /** Throws ApiError validation_failed: they are not kept then. */
  async keep(answers: Readonly<Record<string, unknown>>): Promise<void> {
    const faults = faultsOf(answers, brought, true)
    if (faults.length > 0) throw refused(faults)
    const { store } = this.#options
    const before = this.state().answers as Partial<Answers>
    const { provider } = answers as Partial<Answers>
    if (provider?.server !== before.provider?.server) await refuseUnknownName(provider)
    await store.transaction(
      () =>
        void store.tables.meta.put(
          key,
          JSON.stringify(answers, (name, value: unknown) => (name === 'password' ? undefined : value)),
        ),
    )
  }

  lines(): Promise<readonly SetupLine[]> {
    return this.#options.lines()
  }

  async begin(
    given: Readonly<Record<string, unknown>>,
    { by, force }: { readonly by: string; readonly force: boolean },
  ): Promise<SetupBegunView> {
    const { config, desk } = this.#options
    if (desk === undefined) throw new ApiError('not_supported', 'This box has no configuration that could be changed.')
    if (isSetUp(config) && !force)
      throw new ApiError('already_set_up', 'This box has phones or trunks already: change them on the page Config.')
    const faults = faultsOf(given, brought)
    if (faults.length > 0) throw refused(faults)
    const answers = given as unknown as Answers
    await refuseUnknownName(answers.provider)
    const passwords = new Map(answers.extensions.map(({ number }) => [number, randomBytes(12).toString('base64url')]))
    const made = { passwords, address: reached(answers.network ?? 'lan'), certificate: null, recoveryKey: null }
    const text = documentOf(answers, made, brought, presentIn(desk))
    const change = desk.apply({ text, by, note: 'setup on a page', confirmed: false })
    await this.keep(given)
    const { sip } = parse(text) as { sip: { udp: string } }
    return { change, server: sip.udp, phones: answers.extensions.map((one) => ({ ...one, password: passwords.get(one.number)! })) }
  }
}

const isSetUp = ({ trunks, extensions, lines }: Pick<Config, 'trunks' | 'extensions' | 'lines'>): boolean =>
  trunks.length > 0 || extensions.length > 0 || lines.length > 0

function refused(faults: readonly string[]): ApiError {
  const details = faults.map((fault) => {
    const [path = '', ...text] = fault.split(': ')
    return { path: `/${path.replaceAll('.', '/')}`, message: text.join(': ') }
  })
  return new ApiError('validation_failed', `The answers cannot be used: ${faults.join('; ')}.`, { details })
}

/** The name of the provider's server is looked up before anything is put to use. */
async function refuseUnknownName(provider: Answers['provider'] | undefined): Promise<void> {
  if (provider === undefined) return
  const { server }: Provider = providers[provider.kind]
  const unknown = await unknownName(provider.server ?? server ?? '')
  if (unknown !== null) throw refused([`provider.server: ${unknown}`])
}

function reached(network: string): string | null {
  try {
    return addressOf(network)
  } catch (error) {
    throw error instanceof NoAddress ? refused([`network: ${error.message}; ${error.fix}`]) : error
  }
}

/** A page keeps how the box is reached and by whom, and what root has made: certificates and the recovery key. */
const kept = ['http', 'console', 'auth', 'limits', 'log', 'backup'] as const

function presentIn(desk: ConfigDesk): Present {
  try {
    const present = (parse(desk.fileText()) ?? {}) as Record<string, unknown>
    return { ...present, whole: Object.fromEntries(kept.flatMap((name) => (name in present ? [[name, present[name]]] : []))) }
  } catch (error) {
    if (error instanceof ConfigError) return {}
    throw error
  }
}
