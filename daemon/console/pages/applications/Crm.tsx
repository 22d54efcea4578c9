/** The CRM: whether it answers, what waits for it, and its customers in the directory. */
import type { SyncStatusView } from '../../../schema/crm-status.ts'
import { Fault, send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { thing } from '../../frame/state.ts'
import { Foreign } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Time } from '../../pieces/Time.tsx'
import { failureText } from './sentences.ts'
import { say } from './words.ts'

const crm = thing<SyncStatusView>('/api/pbx/sync/status', ['box'])

const tags = { healthy: 'green', syncing: 'blue', degraded: 'red', disabled: 'amber', unconfigured: '' } as const

export function Crm() {
  return (
    <Panel
      title={say('crm')}
      thing={crm}
      isEmpty={({ state }) => state === 'unconfigured'}
      empty={say('crmNone')}
      aside={crm.data.value?.crm.configured === true ? <Deeds now={crm.data.value} /> : null}
    >
      {(now) => <State now={now} />}
    </Panel>
  )
}

async function tried(deed: Promise<string>): Promise<void> {
  try {
    done(await deed)
  } catch (error) {
    done(error instanceof Fault ? sentence(error) : String(error))
  }
  void crm.reload()
}

function Deeds({ now: { queue, currentSync } }: { readonly now: SyncStatusView }) {
  const read = (): Promise<string> => send('POST', '/api/pbx/sync/full', {}).then(() => say('crmReads'))
  const again = (): Promise<string> =>
    send<{ retried: number }>('POST', '/api/crm/queue/retry').then(({ retried }) => say('crmRetried', { n: retried }))
  return (
    <>
      {queue.dead === 0 ? null : (
        <button type="button" class="btn small" onClick={() => void tried(again())}>
          {say('again')}
        </button>
      )}
      <button type="button" class="btn small" disabled={currentSync !== null} onClick={() => void tried(read())}>
        {say('crmRead')}
      </button>
      <button type="button" class="btn small quiet" onClick={() => void crm.reload()}>
        {say('look')}
      </button>
    </>
  )
}

function State({ now: { state, crm: its, queue, customers, currentSync } }: { readonly now: SyncStatusView }) {
  const fault = its.answerFaults.last
  return (
    <div class="form">
      <p>
        <span class={`tag ${tags[state]}`}>{say(`crm_${state}`)}</span> <span class="muted">{say(`crmSay_${state}`)}</span>
      </p>
      <dl class="facts">
        <dt>{say('lastAnswer')}</dt>
        <dd>
          {its.lastSuccessAt === null ? say('crmNever') : <Time at={its.lastSuccessAt} />}
          {its.p95Ms === null ? '' : `, ${say('crmMs', { ms: its.p95Ms })}`}
        </dd>
        <dt>{say('lastFailure')}</dt>
        <dd>
          {its.lastFailureAt === null ? <span class="muted">{say('noFailure')}</span> : <Time at={its.lastFailureAt} />}{' '}
          <Foreign text={failureText(its.lastError ?? '')} />
        </dd>
        {fault === null ? null : (
          <>
            <dt>{say('crmWrong')}</dt>
            <dd>
              <Time at={fault.at} /> <code>{`${fault.request} ${fault.path}`}</code> <Foreign text={fault.message} />
            </dd>
          </>
        )}
        <dt>{say('pending')}</dt>
        <dd>
          {say('crmWaits', { calls: queue.pendingLogs, notes: queue.pendingNotes })}{' '}
          {queue.oldestPendingAt === null ? null : <Time at={queue.oldestPendingAt} />}
        </dd>
        <dt>{say('dead')}</dt>
        <dd class={queue.dead > 0 ? 'red' : ''}>{queue.dead}</dd>
        <dt>{say('crmCustomers')}</dt>
        <dd>
          {customers.total}{' '}
          {customers.lastFullSyncAt === null ? null : (
            <span class="muted">
              {say('crmLastRead')} <Time at={customers.lastFullSyncAt} />
            </span>
          )}{' '}
          {currentSync === null ? null : <span class="tag blue">{say('crmReading', { n: currentSync.processed })}</span>}
        </dd>
      </dl>
    </div>
  )
}
