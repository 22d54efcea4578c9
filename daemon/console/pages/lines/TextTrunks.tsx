/** What carries texts: each trunk with its state and the reason. A box without one has no such panel. */
import type { SmsTrunkView } from '../../../schema/sms.ts'
import { thing } from '../../frame/state.ts'
import { reasonText } from '../../pieces/event-words.ts'
import { PhoneNumber } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { LineState } from '../../pieces/Strip.tsx'
import { Table } from '../../pieces/Table.tsx'
import { Time } from '../../pieces/Time.tsx'
import { say } from './words.ts'

const trunks = thing<readonly SmsTrunkView[]>('/api/sms/trunks', ['box'])

export function TextTrunks() {
  if (trunks.data.value?.length === 0) return null
  return (
    <Panel title={say('textTrunks')} thing={trunks}>
      {(all) => (
        <Table
          caption={say('textTrunks')}
          rows={all}
          keyOf={({ id }) => id}
          columns={[
            { head: say('line'), cell: ({ id }) => <bdi>{id}</bdi>, isHead: true },
            { head: say('kind'), cell: ({ kind }) => kind, class: 'muted' },
            { head: say('number'), cell: ({ number }) => (number === '' ? null : <PhoneNumber number={number} />) },
            {
              head: say('state'),
              cell: (line) => <LineState {...line} />,
            },
            { head: say('reason'), cell: ({ reason }) => (reason === '' ? null : <bdi>{reasonText(reason)}</bdi>), class: 'why' },
            { head: say('since'), cell: ({ since }) => <Time at={since} />, class: 'muted nowrap' },
          ]}
        />
      )}
    </Panel>
  )
}
