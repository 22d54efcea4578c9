/** Who has an item of work, what is noted of it, and that it is done: the same for faxes, voicemail and texts. */
import type { WorkItemView, WorkKind, WorkTakerView } from '../../schema/work.ts'
import { Fault, send } from '../frame/api.ts'
import { done } from '../frame/deeds.ts'
import { sentence } from '../frame/faults.ts'
import { me } from '../frame/session.ts'
import { thing, type Thing } from '../frame/state.ts'
import { words } from '../frame/words.ts'

/** What is said of items of work. */
export const sayWork = words({
  en: {
    done: 'Done',
    faster: '{name} was faster.',
    has: 'Assigned to {name}',
    isDone: 'Done.',
    isOpen: 'Open again.',
    me: 'You',
    nobody: 'Nobody',
    nobodyHas: 'Not assigned',
    note: 'Note for colleagues',
    noteHint: 'For the chart of…',
    noted: 'The note is saved.',
    open: 'open',
    owner: 'Assigned to',
    reopen: 'Open again',
    saveNote: 'Save the note',
    takeIt: 'Assign to me',
  },
  es: {
    done: 'Hecho',
    faster: '{name} se adelantó.',
    has: 'Asignado a {name}',
    isDone: 'Hecho.',
    isOpen: 'Pendiente de nuevo.',
    me: 'Usted',
    nobody: 'Nadie',
    nobodyHas: 'Sin asignar',
    note: 'Nota para los compañeros',
    noteHint: 'Para el expediente de…',
    noted: 'La nota está guardada.',
    open: 'pendiente',
    owner: 'Asignado a',
    reopen: 'Abrir de nuevo',
    saveNote: 'Guardar la nota',
    takeIt: 'Asignármelo',
  },
})

export interface WorkList {
  readonly items: readonly WorkItemView[]
  readonly nextCursor: string | null
}

export type WorkChanges = { readonly state?: 'open' | 'done'; readonly owner?: string | null; readonly note?: string }

/** Of one kind; both are followed live. */
export function workOf(kind: WorkKind): { readonly open: Thing<WorkList>; readonly closed: Thing<WorkList> } {
  return {
    open: thing<WorkList>(`/api/work?kind=${kind}&limit=500`, ['work']),
    closed: thing<WorkList>(`/api/work?kind=${kind}&state=done&limit=100`, ['work']),
  }
}

/** The item of an id, wherever it stands. */
export function findWork(kind: WorkKind, id: string): WorkItemView | undefined {
  const { open, closed } = workOf(kind)
  return open.data.value?.items.find((one) => one.id === id) ?? closed.data.value?.items.find((one) => one.id === id)
}

/** A note and an owner that follow at once are two changes of one person: the second knows of the first. */
const changing = new Map<string, Promise<WorkItemView>>()

async function patch(item: WorkItemView, changes: WorkChanges): Promise<WorkItemView> {
  const { kind, id } = item
  const path = `/api/work/${kind}/${encodeURIComponent(id)}`
  const before = changing.get(path)
  const change = async (): Promise<WorkItemView> => {
    const own = await before?.catch(() => undefined)
    const after = await send<WorkItemView>('PATCH', path, { rev: Math.max(item.rev, own?.rev ?? 0), ...changes })
    place(after)
    return after
  }
  const run = change()
  changing.set(path, run)
  return run.finally(() => changing.get(path) === run && changing.delete(path))
}

/** Into the list where it belongs by now. */
function place(item: WorkItemView): void {
  const { open, closed } = workOf(item.kind)
  for (const list of [open, closed]) {
    const here = list === (item.state === 'open' ? open : closed)
    list.set((now) => {
      const others = now.items.filter(({ id }) => id !== item.id)
      const at = now.items.findIndex(({ id }) => id === item.id)
      if (!here) return { ...now, items: others }
      return { ...now, items: at === -1 ? [item, ...others] : now.items.with(at, item) }
    })
  }
}

/** Done at once, with a way back. Somebody else who was faster is named. */
export async function changeWork(item: WorkItemView, changes: WorkChanges): Promise<void> {
  const before: WorkChanges = { state: item.state, owner: item.owner, note: item.note }
  try {
    const after = await patch(item, changes)
    const undo = Object.fromEntries(Object.keys(changes).map((name) => [name, before[name as keyof WorkChanges]]))
    done(saidOf(changes, after), async () => void (await patch(after, undo)))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const current = error.body['current'] as WorkItemView | undefined
    if (current !== undefined) place(current)
    const by = current?.closedBy?.name ?? current?.ownerName ?? ''
    done(by === '' ? sentence(error) : sayWork('faster', { name: by }))
  }
}

function saidOf(changes: WorkChanges, after: WorkItemView): string {
  if (changes.state !== undefined) return sayWork(changes.state === 'done' ? 'isDone' : 'isOpen')
  if (changes.owner !== undefined) return changes.owner === null ? sayWork('nobodyHas') : sayWork('has', { name: after.ownerName ?? '' })
  return sayWork('noted')
}

/** Who may be given something, the person of the page last. */
export function takers(): readonly WorkTakerView[] {
  const own = me.value?.personId
  const all = thing<readonly WorkTakerView[]>('/api/work/people', []).data.value ?? []
  return [...all.filter(({ personId }) => personId !== own), ...all.filter(({ personId }) => personId === own)]
}
