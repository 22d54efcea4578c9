/** Whose page this is, what the person may do, and whether the session is locked. All tabs of a browser share it. */
import { computed, effect, signal, type ReadonlySignal } from '@preact/signals'
import type { PersonView, Role, SessionView } from '../../schema/people.ts'
import { Fault, get, refusals, send } from './api.ts'
import { boxSaid } from './clock.ts'
import { site } from './site.ts'
import { speak } from './words.ts'

export type Person = PersonView
export type Standing = 'asking' | 'out' | 'locked' | 'in' | 'unreachable'

/** `asking`: the box has not said it yet. `unreachable`: it does not answer. */
export const standing = signal<Standing>('asking')
export const session = signal<SessionView | undefined>(undefined)
export const me: ReadonlySignal<Person | undefined> = computed(() => session.value?.person)

/** What a person may do, as the table "May" of the roles has it. */
const deeds = {
  /** Names, numbers, texts, pictures and audio of callers: what a technician does not see. */
  patients: ['desk', 'manager'],
  /** Take, move, park and end calls; call, text, fax; notes; `work`. */
  calls: ['desk', 'manager'],
  allVoicemail: ['manager'],
  erase: ['manager'],
  recordings: ['manager'],
  csv: ['manager'],
  /** Open or close the house. */
  hours: ['desk', 'manager', 'technician'],
  /** The calendar itself. */
  openingTimes: ['manager'],
  allQueues: ['manager'],
  /** Take numbers off the stop list of reminder calls. */
  liftStops: ['manager'],
  /** Make codes for screens on the wall, and end them. */
  walls: ['manager', 'technician'],
  /** Bring lists of people into the directory. */
  importParties: ['manager'],
  figures: ['manager', 'technician'],
  people: ['manager', 'technician'],
  alarms: ['manager', 'technician'],
  audit: ['manager', 'technician'],
  box: ['technician'],
} as const satisfies Readonly<Record<string, readonly Role[]>>
export type Deed = keyof typeof deeds

/** Those that count now: a technician who broke the glass reads as a manager, too. */
export const roles = computed((): readonly Role[] => [...(me.value?.roles ?? []), ...(session.value?.glass ? ['manager' as const] : [])])

/** What the person is shown depends on it: with another one, all is read again. */
export const audience = computed(() => roles.value.toSorted().join(' '))

export function may(deed: Deed): boolean {
  return roles.value.some((role) => (deeds[deed] as readonly Role[]).includes(role))
}

const tabs = new BroadcastChannel('pbx-session')

export type Ending = 'signed-out' | 'ended'
/** Called when what a page shows must go: at the lock and at the end of the session. */
const leaving = new Set<(standing: 'locked' | 'out') => void>()
export function onLeave(run: (standing: 'locked' | 'out') => void): void {
  leaving.add(run)
}

/** Takes what the box said of the session. `others`: whether the other tabs are to know. */
export function take(view: SessionView, others = true): void {
  const before = session.value?.person.personId
  if (before !== undefined && before !== view.person.personId) leave('out')
  boxSaid(view.asOf)
  session.value = view
  speak(view.person.language === '' ? site.language : view.person.language)
  if (view.locked && standing.value !== 'locked') leave('locked')
  standing.value = view.locked ? 'locked' : 'in'
  if (others) tabs.postMessage(view)
}

/** The person has changed something of the own account. */
export function withPerson(person: Person): void {
  if (session.value !== undefined) take({ ...session.value, person })
}

/** Asks the box. */
export async function ask(): Promise<void> {
  try {
    take(await get<SessionView>('/api/session'), false)
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'session_ended') return
    if (standing.value === 'asking') standing.value = 'unreachable'
  }
}

export async function lock(): Promise<void> {
  take(await send<SessionView>('POST', '/api/session/lock'))
}

export async function signOut(): Promise<void> {
  await send('DELETE', '/api/session').catch((error: unknown) => {
    if (!(error instanceof Fault) || error.code !== 'session_ended') throw error
  })
  end()
}

function end(others = true): void {
  if (standing.value !== 'out') leave('out')
  session.value = undefined
  standing.value = 'out'
  if (others) tabs.postMessage(null)
}

function leave(to: 'locked' | 'out'): void {
  for (const run of leaving) run(to)
}

refusals.ended = () => end()
refusals.locked = () => void ask()
tabs.onmessage = ({ data }: MessageEvent<SessionView | null>) => (data === null ? end(false) : take(data, false))

// Before anybody has signed in: a browser in Spanish has somebody in front of it who reads it, whatever the box speaks.
speak(/^es\b/i.test(navigator.language) ? navigator.language : site.language)
effect(() => {
  document.documentElement.lang = session.value?.person.language || site.language
})
