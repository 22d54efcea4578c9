/** Where a person is signed in, each with an end; of the own account, and of others for who manages them. */
import type { PersonSessionView } from '../../schema/people.ts'
import { send } from '../frame/api.ts'
import { tried } from '../frame/deeds.ts'
import { thing } from '../frame/state.ts'
import { Panel } from './Panel.tsx'
import { timeText } from './time.ts'
import { saySessions as say } from './words.ts'

export function Sessions({ personId }: { readonly personId: string }) {
  const list = thing<readonly PersonSessionView[]>(`/api/people/${personId}/sessions`, ['session'])
  const end = async (sessionId: string): Promise<void> => {
    await tried(send('DELETE', `/api/people/${personId}/sessions/${sessionId}`), say('ended'))
    await list.reload()
  }
  return (
    <Panel title={say('sessions')} thing={list} isEmpty={(sessions) => sessions.length === 0} empty={say('noSession')}>
      {(sessions) => (
        <ul>
          {sessions.map(({ sessionId, createdAt, activeAt, lockedAt, address, userAgent, current }) => (
            <li class="row" key={sessionId}>
              <span class="grow">
                <bdi>{browserOf(userAgent)}</bdi> <span class="num">{address}</span>{' '}
                <span class="muted">{say('since', { time: timeText(createdAt) })}</span>
                <br />
                <span class="small muted">
                  {say('active', { time: timeText(activeAt) })}
                  {lockedAt === null ? '' : `, ${say('lockedNow')}`}
                </span>
              </span>
              {current ? (
                <span class="tag accent">{say('current')}</span>
              ) : (
                <button type="button" class="btn small" onClick={() => void end(sessionId)}>
                  {say('end')}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

/** As people call it. Names of browsers are names. */
function browserOf(userAgent: string): string {
  const names = ['Edg', 'Firefox', 'Chrome', 'Safari'] as const
  const found = names.find((name) => userAgent.includes(`${name}/`))
  return found === 'Edg' ? 'Edge' : (found ?? userAgent.slice(0, 40))
}
