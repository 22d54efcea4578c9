/** An appointment with the state of its reminder, and what a person of the desk does about it. */
import type { ReminderView } from '../../../schema/reminders.ts'
import { send } from '../../frame/api.ts'
import { afterAsking, tried } from '../../frame/deeds.ts'
import { may } from '../../frame/session.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Menu, type MenuItem } from '../../pieces/Menu.tsx'
import { Foreign, foreign, numberText, Person } from '../../pieces/Number.tsx'
import { callBack, writeText, sayReach } from '../../pieces/reach-out.ts'
import type { Column as Cell } from '../../pieces/Table.tsx'
import { timeText } from '../../pieces/time.ts'
import { nowMs, Time } from '../../pieces/Time.tsx'
import { columnOf, type Column } from './day.ts'
import { say } from './words.ts'

const tags: Readonly<Record<Column, string>> = { confirmed: 'green', open: '', toMove: 'amber', canceled: 'red', unreached: 'amber' }

const states = {
  ...({ scheduled: 'scheduled', dialing: 'dialing', 'in-call': 'inCall', 'waiting-retry': 'again', confirmed: 'isConfirmed' } as const),
  ...({ canceled: 'isCanceled', reschedule: 'reschedule', 'no-answer': 'noAnswer', busy: 'busy', failed: 'failed' } as const),
  ...({ voicemail: 'voicemail', 'opted-out': 'optedOut', expired: 'expired' } as const),
} satisfies Readonly<Record<ReminderView['status'], string>>

const reasons: Readonly<Record<string, 'byUs' | 'tooLate' | 'numberLimit' | 'smsOnly' | 'noInput' | 'reception'>> = {
  ...{ deleted: 'byUs', 'too-late': 'tooLate', 'number-limit': 'numberLimit' },
  ...{ 'sms-only': 'smsOnly', 'no-input': 'noInput', reception: 'reception' },
}

/** Of the table of a day. */
export const cells = (): readonly Cell<ReminderView>[] => [
  { head: say('at'), class: 'c-at num', cell: ({ appointmentAt }) => <Time at={appointmentAt} form="hour" /> },
  {
    ...{ head: say('patient'), class: 'c-who', isHead: true },
    cell: ({ customerName = '', phoneNumber, serviceName = '', staffName = '' }) => (
      <>
        <span class="cut">
          <Person name={customerName} number={phoneNumber} />
        </span>
        <span class="cut small muted">
          <Foreign text={[serviceName, staffName].filter((text) => text !== '').join(', ')} />
        </span>
      </>
    ),
  },
  { head: say('became'), class: 'c-became', cell: (reminder) => <Became reminder={reminder} /> },
  { head: say('deeds'), class: 'c-acts', cell: (reminder) => (may('calls') ? <Deeds reminder={reminder} /> : null) },
]

function Became({ reminder }: { readonly reminder: ReminderView }) {
  const { status, reason, attempts, nextAttemptAt, smsSent } = reminder
  const why = reasons[reason ?? '']
  const more = [
    why === undefined ? '' : say(why),
    nextAttemptAt === null ? '' : say('callAt', { time: timeText(nextAttemptAt, nowMs.value) }),
    attempts === 0 ? '' : say('calls', { n: attempts }),
    smsSent ? say('textSent') : '',
  ]
  return (
    <>
      <span class={`tag ${tags[columnOf(reminder)]}`}>{say(states[status])}</span>{' '}
      <span class="small muted">{more.filter((text) => text !== '').join(', ')}</span>
    </>
  )
}

function Deeds({ reminder }: { readonly reminder: ReminderView }) {
  const { phoneNumber, status, customerName = '' } = reminder
  const name = foreign(customerName || numberText(phoneNumber))
  const isOpen = columnOf(reminder) === 'open'
  const rings = status === 'dialing' || status === 'in-call'
  const back: MenuItem = { text: sayReach('callBack'), icon: 'callBack', run: () => void callBack(phoneNumber) }
  const items: MenuItem[] = [
    ...(isOpen ? [back] : []),
    { text: sayReach('text'), icon: 'text', run: () => writeText(phoneNumber) },
    ...(isOpen ? [{ text: say('cancel'), icon: 'close' as const, danger: true, run: () => void cancel(reminder, name) }] : []),
    ...(!isOpen && may('erase')
      ? [{ text: say('erase'), icon: 'trash' as const, danger: true, run: () => void erase(reminder, name) }]
      : []),
  ]
  return (
    <span class="acts">
      {isOpen ? (
        <button
          type="button"
          class="btn small"
          disabled={rings}
          aria-label={say('callNowOf', { name })}
          onClick={() => void callNow(reminder)}
        >
          <Icon name="phone" />
          <span class="only-wide">{say('callNow')}</span>
        </button>
      ) : columnOf(reminder) === 'confirmed' ? null : (
        <button type="button" class="btn small" aria-label={`${back.text}: ${name}`} onClick={back.run}>
          <Icon name="callBack" />
          <span class="only-wide">{back.text}</span>
        </button>
      )}
      <Menu label={say('moreOf', { name })} items={items} />
    </span>
  )
}

const path = ({ reminderId }: ReminderView): string => `/api/reminders/${encodeURIComponent(reminderId)}`

const callNow = (reminder: ReminderView): Promise<void> => tried(send('POST', `${path(reminder)}/call`), say('callsNow'))

async function cancel(reminder: ReminderView, name: string): Promise<void> {
  const question = { title: say('cancelTitle', { name }), lost: say('cancelLost'), button: say('cancel') }
  await afterAsking(question, () => send('POST', `${path(reminder)}/cancel`), say('canceledDone'))
}

async function erase(reminder: ReminderView, name: string): Promise<void> {
  const question = { title: say('eraseTitle', { name }), lost: say('eraseLost'), button: say('erase') }
  await afterAsking(question, () => send('DELETE', path(reminder)), say('erased'))
}
