/** What the text would change, key by key; what is wrong with it; and the way to put it to use. */
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { ConfigChange, ConfigCheckView, ConfigFaultView } from '../../../schema/config/change.ts'
import { Field } from '../../entry/Entry.tsx'
import { Dialog } from '../../pieces/Dialog.tsx'
import { Icon } from '../../pieces/Icon.tsx'
import { FaultNote, Panel } from '../../pieces/Panel.tsx'
import { configFaultText } from './fault-text.ts'
import { apply, checked, conflict, fault, isDirty, keepMine, load, note, state, underWay } from './state.ts'
import { say } from './words.ts'

const signs = { added: '+', removed: '-', changed: '~', moved: '~' } as const
const shownAtMost = 60

/** As `pbx config diff` has them, each with when it counts. */
export function ChangeList({ changes, label }: { readonly changes: readonly ConfigChange[]; readonly label: string }) {
  if (changes.length === 0) return <p class="empty">{say('noChanges')}</p>
  return (
    <ul class="config-changes" aria-label={label}>
      {changes.slice(0, shownAtMost).map(({ path, change, before, after, effect }) => (
        <li key={`${change} ${path} ${after ?? ''}`} class={change}>
          <span aria-hidden="true">{signs[change]}</span>
          <span class="grow">
            <span class="vh">{say(change)} </span>
            <code>{path}</code>
            {before === undefined ? null : (
              <del>
                <bdi>{before}</bdi>
              </del>
            )}
            {after === undefined ? null : (
              <ins>
                <bdi>{after}</bdi>
              </ins>
            )}
            {change === 'moved' ? <span class="faint"> {say('otherOrder')}</span> : null}
          </span>
          <span class={`tag ${effect === 'restart' ? 'amber' : 'green'}`}>{say(effect)}</span>
        </li>
      ))}
      {changes.length > shownAtMost ? <li class="faint">{say('andMore', { n: changes.length - shownAtMost })}</li> : null}
    </ul>
  )
}

/** When all of it counts, in one sentence. */
export function effectText({ effect, confirm }: Pick<ConfigCheckView, 'effect' | 'confirm'>): string {
  const first = say(effect === 'restart' ? 'needsRestart' : 'effectLive')
  return confirm ? `${first} ${say('mustConfirm')}` : first
}

export function Faults({ faults, warnings, go }: FaultsProps) {
  const { configFile = '' } = state.value ?? {}
  if (faults.length + warnings.length === 0) return null
  const row = ({ line, column, path, text }: ConfigFaultView, kind: 'error' | 'warning') => (
    <li key={`${line}:${column} ${text}`}>
      <button type="button" class={`config-fault ${kind}`} onClick={() => go(line, column)}>
        <Icon name="alert" />
        <span>
          <span class="vh">{say(kind)} </span>
          <code>
            {line}:{column}
          </code>{' '}
          {path === '' ? null : <code class="faint">{path} </code>}
          <bdi>{configFaultText(text)}</bdi>
        </span>
      </button>
    </li>
  )
  return (
    <>
      <h3 class="sub">
        {say('faults', { n: faults.length + warnings.length })} <span>{configFile}</span>
      </h3>
      <ul class="config-faults">
        {faults.map((one) => row(one, 'error'))}
        {warnings.map((one) => row(one, 'warning'))}
      </ul>
    </>
  )
}

interface FaultsProps extends Pick<ConfigCheckView, 'faults' | 'warnings'> {
  readonly go: (line: number, column: number) => void
}

export function Changes({ go }: { readonly go: (line: number, column: number) => void }) {
  const asking = useSignal(false)
  const view = checked.value
  const busy = underWay.value !== undefined
  const differs = isDirty.value || state.value?.fileIsOther === true
  if (view === undefined) return <Panel title={say('whatChanges')}>{null}</Panel>
  const may = view.ok && differs && !busy && conflict.value === undefined
  return (
    <Panel title={say('whatChanges')} count={view.changes.length}>
      {fault.value === undefined ? null : <FaultNote fault={fault.value} again={() => load()} />}
      {conflict.value === undefined ? null : <Both />}
      <p class="vh" role="status">
        {view.ok ? say('checkOk', { n: view.changes.length }) : say('faults', { n: view.faults.length })}
      </p>
      <Faults {...view} go={go} />
      {view.ok ? <ChangeList changes={view.changes} label={say('whatChanges')} /> : null}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (may) asking.value = true
        }}
      >
        {view.ok && view.changes.length > 0 ? <p class="muted small">{effectText(view)}</p> : null}
        {view.ok ? null : <p class="red">{say('refused')}</p>}
        <Field
          label={say('note')}
          hint={say('noteHint')}
          value={note.value}
          onValue={(now) => (note.value = now)}
          maxLength={200}
          optional
        />
        <div class="acts">
          <button type="submit" class="btn main" disabled={!may}>
            {say('apply')}
          </button>
          {isDirty.value ? (
            <button type="button" class="btn quiet" onClick={() => void load()}>
              {say('discard')}
            </button>
          ) : null}
        </div>
      </form>
      {asking.value ? <AskApply view={view} onClose={() => (asking.value = false)} /> : null}
    </Panel>
  )
}

function AskApply({ view, onClose }: { readonly view: ConfigCheckView; readonly onClose: () => void }) {
  return (
    <Dialog title={say('applyTitle')} class="small-dialog" onClose={onClose}>
      <div class="form">
        <p>{view.changes.length === 0 ? say('applyText') : effectText(view)}</p>
        <ChangeList changes={view.changes} label={say('whatChanges')} />
        <div class="acts end">
          <button type="button" class="btn" onClick={onClose}>
            {say('cancel')}
          </button>
          <button type="button" class="btn main" onClick={() => (onClose(), void apply())}>
            {say('apply')}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

/** Somebody else was faster: both differences, and what can be done. */
function Both() {
  const id = useId()
  const { theirs, yours } = conflict.value!
  return (
    <section class="config-both" aria-labelledby={id} role="group">
      <h3 id={id}>{say('somebodyElse')}</h3>
      <p>{say('somebodyElseHow')}</p>
      <h4>{say('theirs')}</h4>
      <ChangeList changes={theirs} label={say('theirs')} />
      <h4>{say('yours')}</h4>
      <ChangeList changes={yours} label={say('yours')} />
      <div class="acts">
        <button type="button" class="btn" onClick={() => void load()}>
          {say('takeTheirs')}
        </button>
        <button type="button" class="btn danger" onClick={keepMine}>
          {say('keepMine')}
        </button>
      </div>
    </section>
  )
}
