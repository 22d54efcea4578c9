/** The configuration: its text with what the box says of it while somebody writes, forms over the same text, and what was in use before. */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useKeys } from '../../frame/keys.ts'
import { language } from '../../frame/words.ts'
import { AtTheBox } from '../../pieces/AtTheBox.tsx'
import { Icon } from '../../pieces/Icon.tsx'
import { FaultNote, Loading, Panel } from '../../pieces/Panel.tsx'
import { Changes } from './Changes.tsx'
import { Editor, type EditorProps, type Mark } from './Editor.tsx'
import { configFaultText } from './fault-text.ts'
import { FormOf, forms, type FormName } from './Forms.tsx'
import { History } from './History.tsx'
import { checked, fault, isDirty, load, loaded, state, text, underWay, values, watch } from './state.ts'
import { UnderWay } from './UnderWay.tsx'
import { say } from './words.ts'

type Tab = 'text' | FormName | 'history'
const tabs: readonly Tab[] = ['text', ...forms, 'history']

export default function Config() {
  const tab = useSignal<Tab>('text')
  const reach = useRef<EditorProps['reach']>({}).current
  useEffect(watch, [])
  useKeys({ e: { does: say('findInText'), run: () => reach.find?.() } })
  const go = (line: number, column: number): void => {
    tab.value = 'text'
    // At once where the editor is there: the next key that a person presses is meant for it.
    if (reach.go) reach.go(line, column)
    else setTimeout(() => reach.go?.(line, column))
  }
  const { configFile } = state.value ?? {}
  if (configFile === null)
    return (
      <Panel title={say('config')}>
        <p class="empty">{say('builtIn')}</p>
      </Panel>
    )
  return (
    <div class="config">
      <UnderWay />
      {Array.isArray(values.value?.['extensions']) && values.value['extensions'].length > 0 ? null : <NotSetUp />}
      <div class="config-tabs tabs" role="tablist" aria-label={say('config')}>
        {tabs.map((name) => (
          <button key={name} type="button" role="tab" aria-selected={tab.value === name} onClick={() => (tab.value = name)}>
            {say(name)}
          </button>
        ))}
      </div>
      {tab.value === 'history' ? (
        <>
          <History />
          <AtTheBox page="config" />
        </>
      ) : (
        <div class="config-both-sides">
          <div class="config-main">{tab.value === 'text' ? <TextPanel reach={reach} /> : <FormOf name={tab.value} />}</div>
          <Changes go={go} />
        </div>
      )}
    </div>
  )
}

/** A box that nobody has set up yet. */
function NotSetUp() {
  // A file that is refused says nothing of what is in use.
  if (values.value == null || checked.value?.ok === false) return null
  return (
    <div class="config-bar" role="status">
      <Icon name="phone" />
      <p class="grow">
        {say('noPhones')} <a href="/setup">{say('toSetup')}</a>
      </p>
    </div>
  )
}

function TextPanel({ reach }: Pick<EditorProps, 'reach'>) {
  const { configFile, revision } = state.value ?? {}
  const marks = useMemo((): readonly Mark[] => {
    const { faults = [], warnings = [] } = checked.value ?? {}
    return [
      ...faults.map((one) => ({ ...one, text: configFaultText(one.text), severity: 'error' as const })),
      ...warnings.map((one) => ({ ...one, text: configFaultText(one.text), severity: 'warning' as const })),
    ]
  }, [checked.value, language.value])
  const aside = (
    <>
      {isDirty.value ? <span class="tag amber">{say('notApplied')}</span> : null}
      {revision == null ? null : <span class="tag">{say('revisionInUse', { revision: String(revision) })}</span>}
      <button type="button" class="btn small" onClick={() => reach.find?.()}>
        <Icon name="search" />
        {say('find')}
      </button>
    </>
  )
  return (
    <Panel title={configFile ?? say('config')} aside={aside} class="config-text">
      {loaded.value !== undefined ? (
        <Editor text={text} marks={marks} readOnly={underWay.value !== undefined} reach={reach} />
      ) : fault.value === undefined ? (
        <Loading />
      ) : (
        <FaultNote fault={fault.value} again={() => load()} />
      )}
    </Panel>
  )
}
