/** How far a change is: what it waits for, whether it is kept, and why it was taken back. */
import { useEffect } from 'preact/hooks'
import type { ConfigUnderWayView } from '../../../schema/config/change.ts'
import { say as aloud } from '../../frame/deeds.ts'
import { reasonText } from '../../pieces/event-words.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Time, nowMs } from '../../pieces/Time.tsx'
import { checked, decide, goneSince, isDirty, state, takenBack, text, underWay } from './state.ts'
import { say } from './words.ts'

export function UnderWay() {
  const change = underWay.value
  return (
    <>
      {change === undefined ? null : <Change change={change} />}
      {takenBack.value === '' ? null : (
        <div class="config-bar red" role="alert">
          <Icon name="back" />
          <p class="grow">
            <strong>{say('takenBack')}</strong> <bdi>{reasonText(takenBack.value)}</bdi>
          </p>
          <button type="button" class="btn small quiet" onClick={() => (takenBack.value = '')}>
            {say('understood')}
          </button>
        </div>
      )}
      <FileState />
    </>
  )
}

/** Those of a change that has not ended. */
type At = Exclude<ConfigUnderWayView['state'], 'applied' | 'reverted'>

function Change({ change }: { readonly change: ConfigUnderWayView }) {
  const { reason, until } = change
  const at = change.state as At
  const address = goneSince.value === undefined ? undefined : movedTo(change)
  // What the box says of a change that has cut this page off cannot be heard: the minute has begun about then.
  const end = address === undefined ? Date.parse(until ?? '') : goneSince.value! + confirmMs
  const left = Math.min(60, Math.max(0, Math.ceil((end - nowMs.value) / 1_000)) || 0)
  useEffect(() => aloud(say(at === 'unconfirmed' ? 'keepAsk' : at)), [at])
  if (at === 'unconfirmed' || address !== undefined)
    return (
      <div class="config-bar amber" role="alert">
        <Icon name="clock" />
        <p class="grow">
          <strong>{say(address === undefined ? 'keepAsk' : 'movedTo')}</strong>{' '}
          {address === undefined ? (
            say('keepHow')
          ) : (
            <>
              <a href={address}>{address}</a> {say('movedHow')}
            </>
          )}
        </p>
        <span class="config-count num" aria-label={say('secondsLeft', { n: left })}>
          {left}
        </span>
        {address !== undefined ? null : (
          <div class="acts">
            <button type="button" class="btn main" onClick={() => void decide(true)}>
              {say('keep')}
            </button>
            <button type="button" class="btn" onClick={() => void decide(false)}>
              {say('takeBack')}
            </button>
          </div>
        )}
      </div>
    )
  return (
    <div class="config-bar" role="status">
      <Icon name={at === 'waiting' ? 'clock' : 'turn'} />
      <p class="grow">
        <strong>{goneSince.value === undefined || at === 'waiting' ? say(at) : say('restarting')}</strong>{' '}
        {reason === '' ? null : <bdi>{reasonText(reason)}</bdi>}{' '}
        {at === 'waiting' && until !== null ? (
          <>
            {say('waitsUntil')} <Time at={until} />
          </>
        ) : null}
      </p>
      {at === 'waiting' || at === 'checking' ? (
        <button type="button" class="btn" onClick={() => void decide(false)}>
          {say('giveUp')}
        </button>
      ) : null}
    </div>
  )
}

const confirmMs = 60_000

/** Where the web port was moved to: this page's address answers no more until the change is taken back. */
function movedTo({ changes }: ConfigUnderWayView): string | undefined {
  const port = /:(\d+)$/.exec(changes.find(({ path }) => path === 'http.listen')?.after ?? '')?.[1]
  return port === undefined ? undefined : `${location.protocol}//${location.hostname}:${port}/config`
}

function FileState() {
  const now = state.value
  if (now === undefined || underWay.value !== undefined) return null
  if (now.fileIsBehind)
    return (
      <div class="config-bar" role="status">
        <Icon name="storage" />
        <p class="grow">
          {say('fileBehind', { file: now.configFile ?? '' })} <code>sudo pbx config write</code>
        </p>
      </div>
    )
  const isRefused = checked.value?.ok === false && !isDirty.value
  if (!isRefused && !now.fileIsOther) return null
  const isEmpty = text.value.trim() === ''
  return (
    <div class="config-bar amber" role="status">
      <Icon name="alert" />
      <p class="grow">{say(!isRefused ? 'fileOther' : isEmpty ? 'fileEmpty' : 'fileRefused', { file: now.configFile ?? '' })}</p>
    </div>
  )
}
