/** Configurations that were in use, newest first, and the way back to one. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ConfigChange, ConfigRevisionView } from '../../../schema/config/change.ts'
import { Fault, get } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { thing } from '../../frame/state.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { reasonText } from '../../pieces/event-words.ts'
import { Menu, type MenuItem } from '../../pieces/Menu.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Table } from '../../pieces/Table.tsx'
import { Time } from '../../pieces/Time.tsx'
import { ChangeList } from './Changes.tsx'
import { goBack, state } from './state.ts'
import { say } from './words.ts'

const revisions = thing<readonly ConfigRevisionView[]>('/api/config/revisions', [])

interface Shown {
  readonly revision: number
  readonly back: boolean
  readonly changes: readonly ConfigChange[]
}

export function History() {
  const shown = useSignal<Shown | undefined>(undefined)
  useEffect(() => void revisions.reload(), [state.value?.revision])
  const show = async (revision: number, back: boolean): Promise<void> => {
    try {
      const inUse = state.value?.revision
      const way = back && inUse != null ? `from=${inUse}&to=${revision}` : `from=${revision}`
      shown.value = { revision, back, changes: await get<ConfigChange[]>(`/api/config/diff?${way}`) }
    } catch (error) {
      done(error instanceof Fault ? sentence(error) : String(error))
    }
  }
  const table = (list: readonly ConfigRevisionView[]) => (
    <Table
      caption={say('history')}
      rows={list}
      keyOf={({ revision }) => String(revision)}
      columns={[
        { head: say('revision'), cell: ({ revision }) => String(revision), isHead: true, class: 'num' },
        { head: say('when'), cell: ({ at }) => <Time at={at} /> },
        { head: say('by'), cell: ({ by }) => (by === 'start' ? say('atStart') : <bdi>{by}</bdi>) },
        { head: say('what'), cell: What },
        { head: '', cell: (row) => <Deeds row={row} show={show} />, class: 'r' },
      ]}
    />
  )
  return (
    <>
      <Panel title={say('history')} thing={revisions} isEmpty={(list) => list.length === 0} empty={say('noHistory')}>
        {table}
      </Panel>
      {shown.value === undefined ? null : <Differences shown={shown.value} onClose={() => (shown.value = undefined)} />}
    </>
  )
}

function What({ outcome, reason, note, changes, summary, inUse }: ConfigRevisionView) {
  return (
    <>
      {inUse ? <span class="tag green">{say('isInUse')}</span> : null}
      {outcome === 'reverted' ? (
        <>
          <span class="tag red">{say('takenBack')}</span> <bdi>{reasonText(reason)}</bdi>
        </>
      ) : null}
      {note === '' ? null : (
        <p>
          <bdi>{note}</bdi>
        </p>
      )}
      <ul class="small muted">
        {summary.map((line) => (
          <li key={line}>
            <bdi>{line}</bdi>
          </li>
        ))}
        {changes > summary.length ? <li>{say('andMore', { n: changes - summary.length })}</li> : null}
      </ul>
    </>
  )
}

interface DeedsProps {
  readonly row: ConfigRevisionView
  readonly show: (revision: number, back: boolean) => Promise<void>
}

function Deeds({ row: { revision, inUse }, show }: DeedsProps) {
  const items: MenuItem[] = [
    { text: say('since'), icon: 'note', run: () => void show(revision, false) },
    { text: say('goBack', { revision: String(revision) }), icon: 'back', danger: true, run: () => void show(revision, true) },
  ]
  // What is in use is written into a file that says otherwise, such as an emptied one.
  if (inUse) items.shift()
  return inUse && state.value?.fileIsOther !== true ? null : <Menu label={say('deedsOf', { revision: String(revision) })} items={items} />
}

function Differences({ shown: { revision, back, changes }, onClose }: { readonly shown: Shown; readonly onClose: () => void }) {
  const title = say(back ? 'goBackTitle' : 'sinceTitle', { revision: String(revision) })
  const run = async (): Promise<void> => {
    onClose()
    await goBack(revision).catch((error: unknown) => done(error instanceof Fault ? sentence(error) : String(error)))
  }
  return (
    <Dialog title={title} class="small-dialog" onClose={onClose}>
      <div class="form">
        {back ? <p>{say('goBackLost')}</p> : null}
        <ChangeList changes={changes} label={title} />
        {back ? (
          <div class="acts end">
            <button type="button" class="btn" onClick={onClose}>
              {say('cancel')}
            </button>
            <button type="button" class="btn danger" onClick={() => void run()}>
              {say('goBack', { revision: String(revision) })}
            </button>
          </div>
        ) : null}
      </div>
    </Dialog>
  )
}
