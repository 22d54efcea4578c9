/** The Desk: who calls, and what is left undone. */
import { house } from '../../frame/house.ts'
import { FaultNote, Loading } from '../../pieces/Panel.tsx'
import { Colleagues } from './Colleagues.tsx'
import { OnThePhone } from './OnThePhone.tsx'
import { SendTo } from './SendTo.tsx'
import { Queues, Reminders } from './Side.tsx'
import { ToDo } from './ToDo.tsx'

export default function Desk() {
  const desk = house.data.value
  const fault = house.fault.value
  return (
    <>
      {fault === undefined ? null : <FaultNote fault={fault} again={() => house.reload()} asOf={house.asOf.value} />}
      {desk === undefined ? (
        fault === undefined && <Loading />
      ) : (
        <div class="desk">
          <OnThePhone desk={desk} waitSeconds={desk.waitSeconds} />
          <ToDo desk={desk} />
          <div class="right">
            <Queues desk={desk} waitSeconds={desk.waitSeconds} />
            <Reminders desk={desk} />
            <Colleagues desk={desk} />
          </div>
          <SendTo desk={desk} />
        </div>
      )}
    </>
  )
}
