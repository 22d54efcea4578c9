/** The Desk: who calls, and what is left undone. */
import { house } from '../../frame/house.ts'
import { Panel } from '../../pieces/Panel.tsx'
import { say } from './words.ts'

export default function Desk() {
  return (
    <Panel title={say('todo')} thing={house} isEmpty={() => true} empty={say('nothing')}>
      {() => null}
    </Panel>
  )
}
