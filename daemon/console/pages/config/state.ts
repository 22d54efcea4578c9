/** What the page of the configuration has in hand: the text somebody writes, what the box says of it, and how far a change is. */
import { computed, effect, signal } from '@preact/signals'
import type {
  ConfigChange,
  ConfigCheckView,
  ConfigEditedView,
  ConfigStateView,
  ConfigTextView,
  ConfigUnderWayView,
} from '../../../schema/config/change.ts'
import { Fault, get, send } from '../../frame/api.ts'
import { boxNow } from '../../frame/clock.ts'
import { done } from '../../frame/deeds.ts'
import { onLeave } from '../../frame/session.ts'
import { say } from './words.ts'

export type Values = Readonly<Record<string, any>>

/** As it came from the box. */
interface Loaded {
  readonly text: string
  readonly base: string
}

/** Of two who change it at once: what each has otherwise. */
export interface Conflict {
  readonly base: string
  readonly theirs: readonly ConfigChange[]
  readonly yours: readonly ConfigChange[]
}

export const loaded = signal<Loaded | undefined>(undefined)
/** What somebody writes stays through the lock, and not for the next person. */
export const text = signal('')
export const note = signal('')
/** Of the text as it is; undefined while it is being checked. */
export const checked = signal<ConfigCheckView | undefined>(undefined)
export const values = signal<Values | null | undefined>(undefined)
export const conflict = signal<Conflict | undefined>(undefined)
export const state = signal<ConfigStateView | undefined>(undefined)
/** The box does not answer since then, in milliseconds since the epoch. */
export const goneSince = signal<number | undefined>(undefined)
export const fault = signal<Fault | undefined>(undefined)
/** A change of this page, of which the end was not seen yet. */
const own = signal(false)
/** How the last change of this page ended, where it was taken back. */
export const takenBack = signal('')

export const isDirty = computed(() => loaded.value !== undefined && text.value !== loaded.value.text)
export const underWay = computed((): ConfigUnderWayView | undefined => {
  const change = state.value?.change
  return change == null || ['applied', 'reverted'].includes(change.state) ? undefined : change
})

const checkAfterMs = 400
const lookEveryMs = 3_000
const followEveryMs = 400

onLeave((standing) => {
  if (standing !== 'out') return
  loaded.value = undefined
  text.value = ''
  note.value = ''
  conflict.value = undefined
})

/** The last text that the box was asked about. */
let asked = ''

const toFault = (error: unknown): Fault => (error instanceof Fault ? error : new Fault(0, { error: String(error) }))

/** Takes the text of the box, and drops what was written here. */
export async function load(): Promise<void> {
  try {
    const view = await get<ConfigTextView>('/api/config/text')
    loaded.value = { text: view.text, base: view.base }
    asked = view.text
    text.value = view.text
    conflict.value = undefined
    fault.value = undefined
    checked.value = view
    await readValues()
  } catch (error) {
    fault.value = toFault(error)
  }
}

let turn = 0

/** Asks the box about the text, and whether somebody else was there meanwhile. */
async function check(): Promise<void> {
  const mine = ++turn
  const body = { text: (asked = text.value) }
  try {
    const view = await send<ConfigCheckView>('POST', '/api/config/check', { ...body, base: loaded.value?.base }).catch((error: unknown) => {
      if (mine === turn && !tookConflict(error)) throw error
      return send<ConfigCheckView>('POST', '/api/config/check', body)
    })
    if (mine !== turn) return
    checked.value = view
    fault.value = undefined
    await readValues()
  } catch (error) {
    if (mine === turn) fault.value = toFault(error)
  }
}

function tookConflict(error: unknown): boolean {
  if (!(error instanceof Fault) || error.code !== 'revision_changed') return false
  const { base, theirs, yours } = error.body as unknown as Conflict
  conflict.value = { base, theirs, yours }
  return true
}

async function readValues(): Promise<void> {
  const read = text.value
  const edited = await send<ConfigEditedView>('POST', '/api/config/edit', { text: read })
  if (read === text.value) values.value = edited.values as Values | null
}

let edits: Promise<void> = Promise.resolve()

/** Sets a section in the text, one after the other. `change`: of the section as it is then. */
export function setSection(name: string, change: (section: any) => unknown): void {
  edits = edits.then(async () => {
    try {
      const now = values.value?.[name]
      const view = await send<ConfigEditedView>('POST', '/api/config/edit', { text: text.value, values: { [name]: change(now) } })
      text.value = view.text
      values.value = view.values as Values | null
    } catch (error) {
      fault.value = toFault(error)
    }
  })
}

export async function apply(): Promise<void> {
  const order = { text: text.value, base: loaded.value?.base, ...(note.value === '' ? {} : { note: note.value }) }
  takenBack.value = ''
  try {
    const change = await send<ConfigUnderWayView>('POST', '/api/config/apply', order)
    follow(change)
  } catch (error) {
    if (!tookConflict(error)) fault.value = toFault(error)
  }
}

/** Knowing what somebody else has changed: what is written here counts. */
export function keepMine(): void {
  const { base } = conflict.value!
  loaded.value = { text: loaded.value!.text, base }
  conflict.value = undefined
}

export async function goBack(revision: number): Promise<void> {
  takenBack.value = ''
  follow(await send<ConfigUnderWayView>('POST', '/api/config/revert', { revision }))
}

export async function decide(keep: boolean): Promise<void> {
  try {
    if (keep) await send('POST', '/api/config/confirm')
    else await send('POST', '/api/config/revert', {})
    await look()
  } catch (error) {
    fault.value = toFault(error)
  }
}

function follow(change: ConfigUnderWayView): void {
  own.value = true
  fault.value = undefined
  if (state.value !== undefined) state.value = { ...state.value, change }
  void look()
}

async function look(): Promise<void> {
  try {
    const before = state.value
    // A page that was cut off may not have seen the change begin.
    const followed = underWay.value !== undefined || goneSince.value !== undefined
    const now = await get<ConfigStateView>('/api/config')
    state.value = now
    goneSince.value = undefined
    if (underWay.value !== undefined || before === undefined) return
    if (own.value) return await ended(now)
    if (followed && now.change?.state === 'reverted' && before.change?.state !== 'reverted') takenBack.value = now.change.reason
    if (before.revision !== now.revision || before.fileIsOther !== now.fileIsOther) await (isDirty.value ? check() : load())
  } catch (error) {
    if (error instanceof Fault && error.status === 0) goneSince.value ??= boxNow()
  }
}

/** `change` is null where the daemon was restarted meanwhile. */
async function ended({ change, revision }: ConfigStateView): Promise<void> {
  own.value = false
  if (change?.state === 'applied') {
    note.value = ''
    done(say('inUse', { revision: String(revision ?? '') }))
    await load()
  } else {
    takenBack.value = change?.reason ?? say('startedAnew')
    await check()
  }
}

/** Looks how far it is while the page is shown; the end of it is returned. */
export function watch(): () => void {
  let timer: ReturnType<typeof setTimeout>
  let over = false
  const again = async (): Promise<void> => {
    await look()
    if (!over) timer = setTimeout(() => void again(), own.value || underWay.value !== undefined ? followEveryMs : lookEveryMs)
  }
  void again()
  let typing: ReturnType<typeof setTimeout> | undefined
  const end = effect(() => {
    const now = text.value
    clearTimeout(typing)
    if (now === asked || loaded.peek() === undefined) return
    typing = setTimeout(() => void check(), checkAfterMs)
  })
  if (loaded.value === undefined) void load()
  else void check()
  return () => {
    over = true
    clearTimeout(timer)
    clearTimeout(typing)
    end()
  }
}
