/** Faxes that have ended: their pages as they went, and the receipt. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { FaxSummary } from '../../../schema/fax.ts'
import { send } from '../../frame/api.ts'
import { afterAsking } from '../../frame/deeds.ts'
import { may } from '../../frame/session.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Foreign, Person, PhoneNumber } from '../../pieces/Number.tsx'
import { nameOf } from '../../pieces/names.ts'
import { Time } from '../../pieces/Time.tsx'
import { Correct } from './Correct.tsx'
import { faxes, isEnded, olderFaxes } from './data.ts'
import { FaxRows, useOlder } from './FaxRows.tsx'
import { PageImage } from './PageImage.tsx'
import { Viewer } from './Viewer.tsx'
import { reasonText } from '../../pieces/words.ts'
import { say } from './words.ts'

export interface SentProps {
  readonly head: ComponentChildren
  readonly foot: ComponentChildren
  readonly faxes: readonly FaxSummary[]
}

const addressOf = (fax: FaxSummary): string => `/api/fax/${encodeURIComponent(fax.faxId)}`

export function SentPane({ head, foot, faxes: newest }: SentProps) {
  const shownId = useSignal<string | undefined>(undefined)
  const { older, more } = useOlder<FaxSummary, string>(faxes.data.value && { next: faxes.data.value.nextCursor }, olderFaxes)
  const list = [...newest, ...older.filter((fax) => isEnded(fax) && !newest.some(({ faxId }) => faxId === fax.faxId))]
  const shown = list.find(({ faxId }) => faxId === shownId.value) ?? list[0]
  return (
    <>
      <section class="panel" aria-label={say('sent')}>
        {head}
        <div class="body">
          {faxes.data.value !== undefined && list.length === 0 ? <p class="empty">{say('emptySent')}</p> : null}
          <FaxRows faxes={list} idOf={({ faxId }) => faxId} shown={shown} shownId={shownId} row={(fax) => <Row fax={fax} />} more={more} />
        </div>
        {foot}
      </section>
      {shown === undefined || !may('patients') ? (
        <section class="panel" aria-label={say('pages')}>
          <p class="empty">{say('noneChosen')}</p>
        </section>
      ) : (
        <>
          <Viewer
            key={shown.faxId}
            base={addressOf(shown)}
            pages={shown.pages}
            title={<Person name={nameOf(shown.to)} number={shown.to} />}
          />
          <div class="side">
            <Side key={shown.faxId} fax={shown} />
          </div>
        </>
      )}
    </>
  )
}

function Row({ fax }: { readonly fax: FaxSummary }) {
  const name = nameOf(fax.to)
  return (
    <>
      <span class="thumb">{may('patients') ? <PageImage base={addressOf(fax)} page={1} width={80} alt="" /> : null}</span>
      <span class="cut">{name === '' ? <PhoneNumber number={fax.to} class="who" /> : <Foreign text={name} class="who" />}</span>
      <span class="at">
        <Time at={fax.completedAt ?? fax.createdAt} />
      </span>
      <span class="l2">
        {say('pagesCount', { n: fax.pages })} <State fax={fax} />
      </span>
      {fax.reason === null ? null : <span class="l2">{reasonText(fax.reason)}</span>}
    </>
  )
}

function State({ fax }: { readonly fax: FaxSummary }) {
  const of = { sent: ['green', 'isSent'], failed: ['red', 'failed'], canceled: ['', 'canceled'] } as const
  const [colour, word] = of[fax.status as keyof typeof of] ?? ['', 'canceled']
  return <span class={`tag ${colour}`}>{say(word)}</span>
}

async function erase(fax: FaxSummary): Promise<void> {
  const question = { title: say('deleteTitle'), lost: say('deleteLost', { n: fax.pages }), button: say('delete') }
  await afterAsking(question, () => send('DELETE', addressOf(fax)), say('deleted'))
  await faxes.reload()
}

function Side({ fax }: { readonly fax: FaxSummary }) {
  const correcting = useSignal(false)
  const before = faxes.data.value?.items.find(({ faxId }) => faxId === fax.replaces)
  const after = faxes.data.value?.items.find(({ faxId }) => faxId === fax.replacedBy)
  return (
    <section class="panel" aria-label={say('thisFax')}>
      <header>
        <h2>{say('thisFax')}</h2>
        <span class="grow" />
        <State fax={fax} />
      </header>
      <div class="body">
        <dl class="facts">
          <dt>{say('to')}</dt>
          <dd>
            <Person name={nameOf(fax.to)} number={fax.to} />
          </dd>
          {fax.remoteStationId === '' ? null : (
            <>
              <dt>{say('station')}</dt>
              <dd>
                <Foreign text={fax.remoteStationId} />
              </dd>
            </>
          )}
          <dt>{say('ended')}</dt>
          <dd>
            <Time at={fax.completedAt ?? fax.createdAt} />
          </dd>
          <dt>{say('pages')}</dt>
          <dd>{say('ofPages', { sent: fax.pagesSent, n: fax.pages })}</dd>
          {fax.reason === null ? null : (
            <>
              <dt>{say('reason')}</dt>
              <dd>{reasonText(fax.reason)}</dd>
            </>
          )}
          {before === undefined ? null : (
            <>
              <dt>{say('replaces')}</dt>
              <dd>
                <PhoneNumber number={before.to} />
              </dd>
            </>
          )}
          {after === undefined ? null : (
            <>
              <dt>{say('replacedBy')}</dt>
              <dd>
                <PhoneNumber number={after.to} />
              </dd>
            </>
          )}
        </dl>
        <div class="form acts">
          <a class="btn" href={`${addressOf(fax)}/receipt.pdf`} target="_blank" rel="noopener">
            <Icon name="note" />
            {say('receipt')}
          </a>
          {fax.status === 'sent' || fax.replacedBy !== null ? null : (
            <button type="button" class="btn" onClick={() => (correcting.value = true)}>
              {say('correct')}
            </button>
          )}
          {may('erase') ? (
            <button type="button" class="btn danger" onClick={() => void erase(fax)}>
              <Icon name="trash" />
              {say('delete')}
            </button>
          ) : null}
        </div>
      </div>
      {correcting.value ? <Correct fax={fax} close={() => (correcting.value = false)} /> : null}
    </section>
  )
}
