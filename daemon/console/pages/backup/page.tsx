/** Backups and the version: the last good one, one now, what the box ran before, and who can go back to it. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { BackupStep, BackupView } from '../../../schema/backup.ts'
import type { HealthView, UpgradeView } from '../../../schema/health.ts'
import { Fault, follow, save } from '../../frame/api.ts'
import { Form, useSubmit } from '../../entry/Entry.tsx'
import { done } from '../../frame/deeds.ts'
import { locale } from '../../frame/site.ts'
import { thing } from '../../frame/state.ts'
import { AtTheBox } from '../../pieces/AtTheBox.tsx'
import { Icon } from '../../pieces/Icon.tsx'
import { Foreign, foreign } from '../../pieces/Number.tsx'
import { FaultNote, Panel } from '../../pieces/Panel.tsx'
import { Table } from '../../pieces/Table.tsx'
import { nowMs, Time } from '../../pieces/Time.tsx'
import { say } from './words.ts'

const backups = thing<BackupView>('/api/backup', ['box'])
const upgrade = thing<UpgradeView>('/api/upgrade', ['box'])
const health = thing<HealthView>('/api/health', ['box'])

type Outcome = NonNullable<BackupView['good']>

/** A night without one is late after a day and a half, as the box's own warning has it. */
const lateMs = 36 * 3_600_000

export default function Backup() {
  return (
    <div class="columns">
      <Backups />
      <Version />
      <Support />
      <AtTheBox page="backup" />
    </div>
  )
}

function sizeText(bytes: number): string {
  const [unit, size] = bytes >= 1e9 ? (['gigabyte', bytes / 1e9] as const) : (['megabyte', bytes / 1e6] as const)
  return new Intl.NumberFormat(locale(), { style: 'unit', unit, maximumFractionDigits: 1 }).format(size)
}

function Backups() {
  const step = useSignal<BackupStep['state'] | undefined>(undefined)
  const fault = useSignal<Fault | undefined>(undefined)
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])
  const run = async (): Promise<void> => {
    step.value = 'asked'
    fault.value = undefined
    try {
      await follow<BackupStep>('POST', '/api/backup/run', undefined, (row) => (step.value = row.state), stop.current.signal)
      done(say('made'))
    } catch (error) {
      fault.value = error instanceof Fault ? error : new Fault(0, { error: String(error) })
    } finally {
      step.value = undefined
      void backups.reload()
    }
  }
  const running = step.value !== undefined || backups.data.value?.running === true
  const configured = health.data.value?.backup?.configured !== false
  return (
    <Panel
      title={say('backups')}
      thing={backups}
      aside={
        <button type="button" class="btn small main" disabled={running || !configured} onClick={() => void run()}>
          <Icon name="storage" />
          {say('now')}
        </button>
      }
    >
      {(view) => (
        <div class="form">
          <Verdict view={view} configured={configured} />
          <p role="status" class="muted">
            {running ? say(step.value === 'asked' ? 'asked' : 'running') : ''}
          </p>
          {fault.value === undefined ? null : <RunFault fault={fault.value} again={() => void run()} />}
          {view.good === null ? null : <Made made={view.good} />}
          <p class="small muted">{say('how')}</p>
          <p class="note info">
            <Icon name="shield" />
            <span>
              {say('whoRestores')} <code>sudo pbx restore</code>
            </span>
          </p>
        </div>
      )}
    </Panel>
  )
}

/** Where this box has no unit that makes them, who can do it is said. */
function RunFault({ fault, again }: { readonly fault: Fault; readonly again: () => void }) {
  if (fault.code !== 'not_supported') return <FaultNote fault={fault} again={again} />
  return (
    <div class="note amber" role="alert">
      <Icon name="alert" />
      <p>
        {say('notHere')} <code>sudo pbx backup</code>
      </p>
    </div>
  )
}

function Verdict({ view: { good, last }, configured }: { readonly view: BackupView; readonly configured: boolean }) {
  if (!configured)
    return (
      <Sentence kind="red" text={say('noKey')}>
        <code>sudo pbx backup key</code>
      </Sentence>
    )
  if (good === null && last === null) return <Sentence kind="amber" text={say('none')} />
  const isLate = good === null || nowMs.value - Date.parse(good.at) > lateMs
  const failed = last !== null && !last.ok
  return (
    <>
      {isLate ? <Sentence kind="amber" text={say(good === null ? 'noGood' : 'late')} /> : null}
      {failed ? (
        <Sentence kind="red" text={say('failed')}>
          <Time at={last.at} />: <Foreign text={last.error} />
        </Sentence>
      ) : null}
      {isLate || failed ? null : <Sentence kind="green" text={say('good')} />}
    </>
  )
}

interface SentenceProps {
  readonly kind: 'green' | 'amber' | 'red'
  readonly text: string
  readonly children?: preact.ComponentChildren
}

function Sentence({ kind, text, children }: SentenceProps) {
  return (
    <p class={`note ${kind}`}>
      <Icon name={kind === 'green' ? 'check' : 'alert'} />
      <span>
        <b>{text}</b> {children}
      </span>
    </p>
  )
}

function Made({ made: { at, file, bytes, files, nightly } }: { readonly made: Outcome }) {
  return (
    <dl class="facts">
      <dt>{say('lastGood')}</dt>
      <dd>
        <Time at={at} /> <span class="faint">{say(nightly ? 'byTimer' : 'byHand')}</span>
      </dd>
      <dt>{say('file')}</dt>
      <dd class="wrap">{foreign(file)}</dd>
      <dt>{say('size')}</dt>
      <dd>
        {sizeText(bytes)}, {say('files', { n: files })}
      </dd>
    </dl>
  )
}

function Version() {
  return (
    <Panel title={say('version')} thing={upgrade}>
      {({ version, last, failed }) => (
        <div class="form">
          <dl class="facts">
            <dt>{say('runs')}</dt>
            <dd>
              <b>{version}</b>
            </dd>
            {last === null ? null : (
              <>
                <dt>{say('before')}</dt>
                <dd>{last.from}</dd>
                <dt>{say('lastUpgrade')}</dt>
                <dd>
                  {say('fromTo', { from: last.from, to: last.to })} <Phase last={last} />
                </dd>
                <dt>{say('ended')}</dt>
                <dd>{last.ended === '' ? say('notEnded') : <Time at={last.ended} />}</dd>
              </>
            )}
          </dl>
          {last === null ? <p class="muted">{say('noUpgrade')}</p> : null}
          {last === null || last.reason === '' ? null : (
            <p class="note amber">
              <Foreign text={last.reason} />
            </p>
          )}
          {failed.length === 0 ? null : (
            <Table
              caption={say('failedVersions')}
              rows={failed}
              keyOf={(one) => one.version}
              columns={[
                { head: say('failedVersion'), cell: (one) => one.version, isHead: true },
                { head: say('when'), cell: ({ at }) => <Time at={at} /> },
                { head: say('why'), cell: ({ reason }) => <Foreign text={reason} /> },
              ]}
            />
          )}
          <p class="note info">
            <Icon name="shield" />
            <span>
              {say('whoRollsBack')} <code>sudo pbx rollback</code> · {say('whoUpgrades')} <code>sudo pbx upgrade</code> · {say('whoDrains')}{' '}
              <code>pbx drain</code>
            </span>
          </p>
        </div>
      )}
    </Panel>
  )
}

/** What a supporter asks for first, from a technician who has no shell. */
function Support() {
  const state = useSubmit()
  return (
    <Panel title={say('support')}>
      <Form state={state} button={say('supportGet')} onSubmit={() => save('/api/support-bundle', 'pbxd-support.tar.gz')}>
        <p>{say('supportHas')}</p>
        <p class="note info">
          <Icon name="shield" />
          <span>
            {say('supportLog')} <code>sudo pbx support-bundle</code>
          </span>
        </p>
      </Form>
    </Panel>
  )
}

function Phase({ last: { phase } }: { readonly last: NonNullable<UpgradeView['last']> }) {
  const colour = phase === 'done' ? 'green' : phase === 'refused' || phase === 'returned' ? 'red' : 'amber'
  return <span class={`tag ${colour}`}>{say(`phase_${phase}`)}</span>
}
