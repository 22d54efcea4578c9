/** Faxes: what came in, what goes out, what was sent; and a new one. */
import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { faxTo } from '../../pieces/reach-out.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { house } from '../../frame/house.ts'
import { query } from '../../frame/router.ts'
import { may } from '../../frame/session.ts'
import { workOf } from '../../pieces/work.ts'
import { ended, faxes, underWay } from './data.ts'
import { FileDrop } from './FileDrop.tsx'
import { NewFax, NoLine } from './NewFax.tsx'
import { ReceivedPane } from './Received.tsx'
import { SendingList } from './Sending.tsx'
import { SentPane } from './Sent.tsx'
import { say } from './words.ts'

type Tab = 'received' | 'sending' | 'sent'

/** What is about to be faxed: a file that was dropped, or nothing yet. */
export interface Begun {
  readonly file: File | undefined
  readonly to: string
}

export default function Faxes() {
  const tab = useSignal<Tab>('received')
  const begun = useSignal<Begun | undefined>(undefined)
  const over = useSignal(false)
  useSignalEffect(() => {
    if (query.value.has('id')) tab.value = 'received'
  })
  useEffect(() => {
    // Another page began a fax to this number.
    const to = faxTo().value
    if (to === undefined) return
    faxTo().value = undefined
    begun.value = { file: undefined, to }
  }, [])
  const begin = (file?: File, to = ''): void => {
    if (may('calls')) begun.value = { file, to }
  }
  const dropped = (event: DragEvent): void => {
    event.preventDefault()
    over.value = false
    const file = event.dataTransfer?.files[0]
    if (file !== undefined) begin(file)
  }
  const openCount = workOf('fax').open.data.value?.items.length
  const tabs = (
    <Tabs
      tab={tab.value}
      counts={{ received: openCount, sending: underWay().length }}
      onTab={(next) => (tab.value = next)}
      onNew={() => begin()}
    />
  )
  const drop = !may('calls') ? null : house.data.value?.box.faxes === false ? (
    <NoLine />
  ) : (
    <FileDrop kind={over.value ? 'over' : ''} onFile={(file) => begin(file)} />
  )
  void faxes.data.value
  return (
    <div
      class="faxes"
      onDragOver={(event) => (event.preventDefault(), (over.value = true))}
      onDragLeave={(event) => event.currentTarget === event.target && (over.value = false)}
      onDrop={dropped}
    >
      {tab.value === 'received' ? (
        <ReceivedPane head={tabs} foot={drop} faxTo={(number) => begin(undefined, number)} />
      ) : tab.value === 'sending' ? (
        <section class="panel wide" aria-label={say('sending')}>
          {tabs}
          <div class="body">
            <SendingList faxes={underWay()} />
          </div>
          {drop}
        </section>
      ) : (
        <SentPane head={tabs} foot={drop} faxes={ended()} />
      )}
      {begun.value === undefined ? null : <NewFax begun={begun.value} close={() => (begun.value = undefined)} />}
    </div>
  )
}

interface TabsProps {
  readonly tab: Tab
  readonly counts: { readonly received: number | undefined; readonly sending: number }
  readonly onTab: (tab: Tab) => void
  readonly onNew: () => void
}

function Tabs({ tab, counts, onTab, onNew }: TabsProps) {
  const all: readonly (readonly [Tab, string])[] = [
    ['received', counts.received === undefined ? say('received') : `${say('received')} ${counts.received}`],
    ['sending', `${say('sending')} ${counts.sending}`],
    ['sent', say('sent')],
  ]
  return (
    <div class="tabs">
      {all.map(([name, text]) => (
        <button key={name} type="button" aria-current={tab === name ? 'true' : undefined} onClick={() => onTab(name)}>
          {text}
        </button>
      ))}
      <span class="grow" />
      {may('calls') ? (
        <button type="button" class="btn small main" onClick={onNew}>
          <Icon name="send" />
          {say('newFax')}
        </button>
      ) : null}
    </div>
  )
}
