/** The first set-up as a page has it: the answers, kept on the box after each step, and how far putting them to use is. */
import { computed, signal } from '@preact/signals'
import type { ConfigStateView } from '../../../schema/config/change.ts'
import type { TestStep } from '../../../schema/health.ts'
import type { LineView } from '../../../schema/operation.ts'
import type { SetupBegunView, SetupView } from '../../../schema/setup.ts'
import { Fault, follow, get, ownFault, send } from '../../frame/api.ts'
import { sentence } from '../../frame/faults.ts'
import { onLeave } from '../../frame/session.ts'
import { say } from './words.ts'

export interface Phone {
  readonly number: string
  readonly name: string
}
export interface Provider {
  readonly kind: string
  readonly server?: string
  readonly transport?: string
  readonly username?: string
  readonly password?: string
  readonly numbers: readonly string[]
}
/** As the file of answers of `pbx setup`. */
export interface Answers {
  readonly site?: { readonly name: string; readonly country: string; readonly timeZone: string; readonly address?: string }
  readonly network?: string
  readonly provider?: Provider
  readonly extensions?: readonly Phone[]
  readonly lines?: readonly { readonly device: string; readonly number: string; readonly roles: readonly string[] }[]
  readonly hours?: {
    readonly open: Readonly<Record<string, string[]>>
    readonly closedOn?: string[]
    readonly special?: Readonly<Record<string, string[]>>
  }
  readonly fax?: { readonly number?: string; readonly mail?: string }
  readonly phoneOff?: 'mailbox' | 'group'
  readonly mail?: { readonly server: string; readonly from: string; readonly username?: string; readonly password?: string }
  readonly alarms?: readonly string[]
  readonly notices?: { readonly mail: string; readonly attach?: boolean }
  readonly otherSite?: {
    readonly id: string
    readonly server: string
    readonly transport?: 'udp' | 'tcp' | 'tls'
    readonly caFile?: string
    readonly extensions: string
    readonly number?: string
    readonly password?: string
  }
}

export const steps = ['site', 'network', 'provider', 'phones', 'lines', 'office', 'mail', 'otherSite', 'use', 'test'] as const
export type Step = (typeof steps)[number]

export const view = signal<SetupView | undefined>(undefined)
export const fault = signal<Fault | undefined>(undefined)
export const step = signal<Step>('site')
export const answers = signal<Answers>({})
/** What is said of the way into use; '' before and after. */
export const progress = signal('')
export const refusal = signal('')
/** What the phones register with: shown until the page is left. */
export const begun = signal<SetupBegunView | undefined>(undefined)
export const inUse = signal(false)
export const tests = signal<readonly TestStep[]>([])
export const testing = signal<'no' | 'running' | 'done'>('no')
export const passed = computed(() => tests.value.filter(({ level }) => level === 'ok').length)

onLeave((to) => {
  if (to !== 'out') return
  view.value = begun.value = undefined
  answers.value = {}
})

const toFault = (error: unknown): Fault => (error instanceof Fault ? error : new Fault(0, { error: String(error) }))

export async function load(): Promise<void> {
  try {
    const now = await get<SetupView>('/api/setup')
    const kept = now.answers as Answers
    answers.value = kept
    // Where it was left: at the first step that has no answer.
    if (kept.site !== undefined) step.value = kept.network === undefined ? 'network' : kept.extensions === undefined ? 'provider' : 'lines'
    view.value = now
  } catch (error) {
    fault.value = toFault(error)
  }
}

/** By the place of the answer, the first that fits: a page has no file with lines, quotes and keys. */
const wrong = [
  ...([
    ['/site/country', 'wrongCountry'],
    ['/site/timeZone', 'wrongZone'],
    ['/site', 'wrongSite'],
    ['/network', 'wrongNetwork'],
  ] as const),
  ...([
    ['/provider/numbers', 'wrongNumbers'],
    ['/provider/server', 'wrongServer'],
    ['/provider', 'wrongProvider'],
  ] as const),
  ...([
    ['/extensions/*/name', 'wrongName'],
    ['/extensions/*', 'wrongExtension'],
    ['/extensions', 'wrongExtensions'],
  ] as const),
  ...([
    ['/lines', 'wrongLines'],
    ['/hours', 'wrongHours'],
    ['/fax/mail', 'wrongNotices'],
    ['/fax', 'wrongFax'],
  ] as const),
  ...([
    ['/notices', 'wrongNotices'],
    ['/mail/from', 'wrongFrom'],
    ['/mail', 'wrongMail'],
    ['/alarms', 'wrongAlarms'],
    ['/otherSite/extensions', 'wrongSiteRange'],
    ['/otherSite', 'wrongOtherSite'],
  ] as const),
] as const

/** What is wrong with the answers, in the person's language. */
function inWords(error: unknown): Fault {
  const fault = toFault(error)
  if (fault.code !== 'validation_failed' || !Array.isArray(fault.details)) return fault
  const said = (fault.details as readonly { readonly path: string; readonly message: string }[]).map(({ path, message }) => {
    const place = path.replace(/\/\d+(?=\/|$)/g, '/*')
    const known = wrong.find(([start]) => place === start || place.startsWith(`${start}/`))
    return known === undefined ? say('wrongOther', { text: message }) : say(known[1])
  })
  return ownFault([...new Set(said)].join(' '))
}

/** Keeps what was answered, and goes on. */
export async function next(given: Partial<Answers>): Promise<void> {
  const all = Object.fromEntries(Object.entries({ ...answers.value, ...given }).filter(([, value]) => value !== undefined)) as Answers
  await send('PUT', '/api/setup', { answers: all }).catch((error: unknown) => Promise.reject(inWords(error)))
  answers.value = all
  step.value = steps[steps.indexOf(step.value) + 1] ?? 'test'
}

const lookEveryMs = 500
const startMs = 90_000
/** Of the minute in which the change waits to be kept. */
const trunkMs = 40_000

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The same way as `pbx setup`: on trial, and kept when the provider has accepted the registration. */
export async function putToUse(force: boolean): Promise<void> {
  refusal.value = ''
  progress.value = say('checking')
  try {
    begun.value = await send<SetupBegunView>('POST', '/api/setup', { answers: answers.value, force })
    await untilTrial()
    if (answers.value.provider !== undefined) {
      progress.value = say('registering')
      const reason = await trunkFault()
      if (reason !== '') {
        await send('POST', '/api/config/revert', {})
        await until((change) => change === 'reverted', startMs)
        throw ownFault(say('providerRefuses', { reason }))
      }
    }
    if ((await changeNow())?.state === 'unconfirmed') await send('POST', '/api/config/confirm')
    await until((change) => change === 'applied', startMs)
    inUse.value = true
    step.value = 'test'
  } catch (error) {
    begun.value = undefined
    refusal.value = sentence(inWords(error))
  } finally {
    progress.value = ''
  }
}

async function changeNow() {
  try {
    return (await get<ConfigStateView>('/api/config')).change ?? undefined
  } catch (error) {
    // It is starting again.
    if (error instanceof Fault && error.status === 0) return undefined
    throw error
  }
}

async function until(over: (state: string) => boolean, ms: number): Promise<void> {
  for (const deadline = performance.now() + ms; ;) {
    const change = await changeNow()
    if (change !== undefined && over(change.state)) return
    if (change?.state === 'reverted') throw ownFault(say('takenBack', { reason: change.reason }))
    if (change?.state === 'waiting') progress.value = say('waiting')
    else if (performance.now() > deadline) throw ownFault(say('notFinished'))
    await pause(lookEveryMs)
  }
}

const untilTrial = (): Promise<void> => until((state) => state === 'unconfirmed' || state === 'applied', startMs)

/** '' where it is up. */
async function trunkFault(): Promise<string> {
  for (const deadline = performance.now() + trunkMs; ;) {
    const lines = await get<LineView[]>('/api/lines').catch((): LineView[] => [])
    const main = lines.find(({ id, kind }) => id === 'main' && kind === 'trunk')
    if (main?.ok === true) return ''
    // A refusal is an answer; silence may end.
    if (main?.state === 'refused' || performance.now() > deadline) return main?.reason || main?.state || say('noTrunk')
    await pause(lookEveryMs)
  }
}

export async function testEverything(): Promise<void> {
  tests.value = []
  testing.value = 'running'
  try {
    await follow<TestStep>('POST', '/api/test', undefined, (row) => (tests.value = [...tests.value, row]))
  } catch (error) {
    fault.value = toFault(error)
  } finally {
    testing.value = 'done'
  }
}
