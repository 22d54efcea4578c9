/** A test that the box makes step by step: what was tried, what came of it, and what repairs it, as it happens. */
import { useEffect, useState } from 'preact/hooks'
import type { BackupStep } from '../../schema/backup.ts'
import type { TestStep } from '../../schema/health.ts'
import { Fault, follow } from '../frame/api.ts'
import { sayBox } from './box-words.ts'
import { Dialog } from './Dialog.tsx'
import { Icon } from './Icon.tsx'
import { FaultNote } from './Panel.tsx'
import { stepFix, stepName, stepText } from './step-sentences.ts'

/** `byHand` of a step that a page does at the press of a button: the route, and what is shown in its place. */
export type HandDeeds = Readonly<Record<string, () => preact.ComponentChildren>>

interface Running {
  readonly steps: readonly TestStep[]
  readonly state: 'running' | 'done'
  readonly fault?: Fault
}

/** Begins at once, and again with `again`. Leaving it ends the test. `stepOf`: where a row is no step by itself. */
function useSteps(path: string, stepOf: (row: never) => TestStep) {
  const [run, setRun] = useState<Running>({ steps: [], state: 'running' })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const stop = new AbortController()
    setRun({ steps: [], state: 'running' })
    follow<never>(
      'POST',
      path,
      undefined,
      (row) => setRun(({ steps }) => ({ steps: [...steps, stepOf(row)], state: 'running' })),
      stop.signal,
    ).then(
      () => stop.signal.aborted || setRun(({ steps }) => ({ steps, state: 'done' })),
      (error: unknown) => setRun(({ steps }) => ({ steps, state: 'done', fault: error instanceof Fault ? error : new Fault(0, {}) })),
    )
    return () => stop.abort()
  }, [turn])
  return { ...run, again: () => setTurn(turn + 1) }
}

export interface StepsProps {
  readonly title: string
  /** POST, answered with a line for each step. */
  readonly path: string
  readonly onClose: () => void
  readonly byHand?: HandDeeds
  readonly stepOf?: (row: never) => TestStep
}

const same = (row: never): TestStep => row

export function Steps({ title, path, onClose, byHand = {}, stepOf = same }: StepsProps) {
  const { steps, state, fault, again } = useSteps(path, stepOf)
  const bad = steps.filter(({ level }) => level !== 'ok').length
  const sum = state === 'running' ? sayBox('stepsRunning') : bad === 0 ? sayBox('stepsGood') : sayBox('stepsBad', { n: bad })
  return (
    <Dialog title={title} onClose={onClose} class="rows-dialog">
      <ol>
        {steps.map((step, n) => (
          <Step key={n} step={step} byHand={byHand} />
        ))}
      </ol>
      {fault === undefined ? null : <FaultNote fault={fault} again={again} />}
      <p class={`row ${state === 'running' ? 'muted' : bad === 0 ? 'green' : 'red'}`} role="status">
        {fault === undefined ? sum : ''}
      </p>
    </Dialog>
  )
}

const icons = { ok: 'check', warning: 'alert', failure: 'stop' } as const
const colours = { ok: 'green', warning: 'amber', failure: 'red' } as const

function Step({ step: { name, level, text, fix, byHand }, byHand: deeds }: { readonly step: TestStep; readonly byHand: HandDeeds }) {
  return (
    <li class="row step">
      <span class={colours[level]}>
        <Icon name={byHand === undefined ? icons[level] : 'owner'} />
        <span class="vh">{byHand === undefined ? sayBox(level) : ''}</span>
      </span>
      <span class="grow">
        <bdi>
          <b>{stepName(name)}</b> {stepText(text)}
        </bdi>
        {fix === '' ? null : <Remedy fix={fix} />}
        {byHand === undefined ? null : (deeds[byHand]?.() ?? <p>{sayBox('byHand', { how: stepText(byHand) })}</p>)}
      </span>
    </li>
  )
}

/** A command, and what is to be done with what it says. */
const command = /^((?:pbx|getent|sudo|systemctl|journalctl) [^;,]+)([;,][^]*)?$/

/** A command, or what a person does. */
export function Remedy({ fix }: { readonly fix: string }) {
  const said = stepFix(fix)
  const [whole, typed, further = ''] = command.exec(said) ?? []
  return (
    <p class="small">
      <b>{sayBox('remedy')}</b>{' '}
      {whole === undefined ? (
        <bdi>{said}</bdi>
      ) : (
        <>
          <code>{typed}</code>
          <bdi>{further}</bdi>
        </>
      )}
    </p>
  )
}

/** A backup, made now. */
export function BackupNow({ onClose }: { readonly onClose: () => void }) {
  const stepOf = ({ state, backup }: BackupStep): TestStep => ({
    ...{ name: '', level: 'ok', fix: '' },
    text:
      state === 'made'
        ? sayBox('backUpMade', { file: backup?.file ?? '', files: backup?.files ?? 0 })
        : sayBox(state === 'asked' ? 'backUpAsked' : 'backUpRunning'),
  })
  return <Steps title={sayBox('backUpTitle')} path="/api/backup/run" onClose={onClose} stepOf={stepOf as (row: never) => TestStep} />
}
