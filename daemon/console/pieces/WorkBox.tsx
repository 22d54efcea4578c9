/** Owner, note and Done of one item, at the side of what it is about. */
import type { ComponentChildren } from 'preact'
import type { WorkItemView } from '../../schema/work.ts'
import { draft, drop } from '../frame/drafts.ts'
import { useKeys } from '../frame/keys.ts'
import { me } from '../frame/session.ts'
import { Icon } from './Icon.tsx'
import { foreign } from './Number.tsx'
import { changeWork, sayWork, takers } from './work.ts'

/** `children`: further deeds next to Done. */
export function WorkBox({ item, children }: { readonly item: WorkItemView; readonly children?: ComponentChildren }) {
  const note = draft(`note:${item.kind}:${item.id}`, item.note)
  const isOpen = item.state === 'open'
  const noteId = `note-${item.id}`
  const finish = (): void => void changeWork(item, { state: isOpen ? 'done' : 'open' })
  const saveNote = async (): Promise<void> => {
    await changeWork(item, { note: note.value })
    drop(`note:${item.kind}:${item.id}`)
  }
  useKeys({
    d: { does: sayWork('done'), run: finish },
    o: { does: sayWork('takeIt'), run: () => void changeWork(item, { owner: item.owner === null ? (me.value?.personId ?? null) : null }) },
    n: { does: sayWork('note'), run: () => document.getElementById(noteId)?.focus() },
  })
  return (
    <div class="form">
      <Owner item={item} />
      <label class="field">
        <span>{sayWork('note')}</span>
        <textarea
          id={noteId}
          class="box"
          maxLength={500}
          placeholder={sayWork('noteHint')}
          value={note.value}
          onInput={(event) => (note.value = event.currentTarget.value)}
        />
      </label>
      <div class="acts">
        {note.value === item.note ? null : (
          <button type="button" class="btn" onClick={() => void saveNote()}>
            {sayWork('saveNote')}
          </button>
        )}
        <button type="button" class={`btn ${isOpen ? 'main' : ''}`} onClick={finish}>
          <Icon name="check" />
          {sayWork(isOpen ? 'done' : 'reopen')}
          <kbd aria-hidden="true">D</kbd>
        </button>
        {children}
      </div>
    </div>
  )
}

function Owner({ item }: { readonly item: WorkItemView }) {
  const own = me.value?.personId
  const others = takers().filter(({ personId }) => personId !== own)
  const names = new Map<string, string>(others.map(({ personId, name }) => [personId, name]))
  if (item.owner !== null && item.owner !== own) names.set(item.owner, item.ownerName ?? item.owner)
  return (
    <label class="field">
      <span>{sayWork('owner')}</span>
      <select
        class="box"
        value={item.owner ?? ''}
        onChange={(event) => void changeWork(item, { owner: event.currentTarget.value === '' ? null : event.currentTarget.value })}
      >
        <option value="">{sayWork('nobody')}</option>
        {own === undefined ? null : <option value={own}>{sayWork('me')}</option>}
        {[...names].map(([personId, name]) => (
          <option key={personId} value={personId}>
            {foreign(name)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** In a list: who has it, or that it is done. */
export function WorkState({ item }: { readonly item: WorkItemView | undefined }) {
  if (item === undefined) return null
  if (item.state === 'done')
    return (
      <>
        <span class="green">{sayWork('done')}</span>
        {item.closedBy === null ? null : ` · ${foreign(item.closedBy.name)}`}
      </>
    )
  if (item.owner === null) return <span class="faint">{sayWork('nobodyHas')}</span>
  return (
    <>
      <span class="tag accent">{sayWork('has', { name: foreign(item.ownerName ?? '') })}</span>
      {item.note === '' ? null : ` “${foreign(item.note)}”`}
    </>
  )
}
