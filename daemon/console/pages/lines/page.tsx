/** Lines: each line to the outside with its last month, the phones, addresses that are banned, and where a call would go. */
import { useEffect, useState } from 'preact/hooks'
import type { LineHistoryView } from '../../../schema/health.ts'
import { thing } from '../../frame/state.ts'
import { AtTheBox } from '../../pieces/AtTheBox.tsx'
import { sayBox } from '../../pieces/box-words.ts'
import { reasonText } from '../../pieces/event-words.ts'
import { Panel } from '../../pieces/Panel.tsx'
import { LineState, Strip } from '../../pieces/Strip.tsx'
import { Table } from '../../pieces/Table.tsx'
import { Time } from '../../pieces/Time.tsx'
import { Bans, Where } from './Where.tsx'
import { Phones } from './Phones.tsx'
import { TextTrunks } from './TextTrunks.tsx'
import { lineList, TestOf } from './shown.tsx'
import { say } from './words.ts'

const days = 30
/** Channels in use, and how long a ban still lasts. */
const readEveryMs = 15_000

export default function LinesPage() {
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && void lineList.reload(), readEveryMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <div class="columns wide lines">
      <Lines />
      <TextTrunks />
      <Phones />
      <div class="columns">
        <Where />
        <Bans />
      </div>
      <AtTheBox page="lines" />
    </div>
  )
}

function Lines() {
  const history = thing<readonly LineHistoryView[]>(`/api/lines/history?days=${days}`, ['box'])
  const [tested, setTested] = useState<string>()
  const of = (id: string): LineHistoryView | undefined => history.data.value?.find((line) => line.id === id)
  return (
    <Panel
      title={say('lines')}
      thing={lineList}
      isEmpty={(lines) => lines.every(({ kind }) => kind === 'extension')}
      empty={say('linesEmpty')}
    >
      {(lines) => (
        <>
          <Table
            caption={say('lines')}
            rows={lines.filter(({ kind }) => kind !== 'extension')}
            keyOf={({ id }) => id}
            columns={[
              { head: say('line'), cell: ({ id }) => <bdi>{id}</bdi>, isHead: true },
              {
                head: say('kind'),
                cell: ({ kind, id }) => say(kind === 'line' ? 'kindModem' : id.startsWith('site:') ? 'kindSite' : 'kindTrunk'),
                class: 'muted',
              },
              { head: say('state'), cell: (line) => <LineState {...line} /> },
              { head: say('reason'), cell: ({ reason }) => (reason === '' ? null : <bdi>{reasonText(reason)}</bdi>), class: 'why' },
              { head: say('since'), cell: ({ since }) => <Time at={since} />, class: 'muted nowrap' },
              {
                head: say('channels'),
                cell: ({ activeCalls, channels }) => (channels === 0 ? activeCalls : `${activeCalls} / ${channels}`),
                class: 'r num',
              },
              {
                head: say('history'),
                cell: ({ id }) => <Strip outages={of(id)?.outages ?? []} unknown={of(id)?.unknown ?? []} days={days} />,
                class: 'month',
              },
              {
                head: '',
                cell: ({ id }) => (
                  <button type="button" class="btn small" onClick={() => setTested(id)}>
                    {sayBox('test')}
                  </button>
                ),
                class: 'r',
              },
            ]}
          />
          {tested === undefined ? null : <TestOf id={tested} onClose={() => setTested(undefined)} />}
        </>
      )}
    </Panel>
  )
}
