/** To whom a call is sent: a colleague, a queue, a mailbox, or a number. */
import { useState, useLayoutEffect } from 'preact/hooks'
import type { DeskView } from '../../../schema/desk.ts'
import { Combobox, type Option } from '../../pieces/Combobox.tsx'
import { Dialog } from '../../pieces/Dialog.tsx'
import { foreign } from '../../pieces/Number.tsx'
import { destinationOf, lampOf } from './model.ts'
import { move, sending } from './calls.ts'
import { lampText } from './Colleagues.tsx'
import { say } from './words.ts'

/** What the colleague does; of one whose phone is off, that the call goes to the mailbox. */
const detailOf = (destination: string, lamp: string): string =>
  destination.startsWith('voicemail:') ? `${lamp}, ${say('toVoicemail')}` : lamp

export function SendTo({ desk }: { readonly desk: DeskView }) {
  const [text, setText] = useState('')
  const call = sending.value
  // The field is what the key S is pressed for; the dialog would begin at its title.
  useLayoutEffect(() => document.querySelector<HTMLElement>('.send-to input')?.focus(), [call])
  if (call === undefined) return null
  const close = (): void => {
    sending.value = undefined
    setText('')
  }
  const to = (where: string, shown: string): void => {
    move(call.callId, where, shown)
    close()
  }
  const wanted = text.trim().toLowerCase()
  const fits = (...words: string[]): boolean => words.some((word) => word.toLowerCase().includes(wanted))
  const colleagues = desk.extensions.flatMap((one) => {
    const id = destinationOf(one)
    return id === undefined ? [] : [{ ...one, id, detail: detailOf(id, lampText(lampOf(one, desk.calls))) }]
  })
  const options: Option[] = [
    ...colleagues
      .filter(({ number, name }) => fits(number, name))
      .map(({ id, number, name, detail }) => ({ id, text: `${number} ${foreign(name)}`, group: say('colleagues'), detail })),
    ...desk.queues
      .filter(({ name }) => fits(name))
      .map(({ id, name }) => ({ id: `queue:${id}`, text: foreign(name), group: say('waiting') })),
    ...desk.extensions
      .filter((one) => wanted !== '' && one.mailbox && destinationOf(one) === one.number && fits(one.number, one.name))
      .map(({ number, name }) => ({ id: `voicemail:${number}`, text: `${number} ${foreign(name)}`, group: say('voicemail') })),
  ]
  return (
    <Dialog title={`${say('sendTo')} ${foreign(call.name)}`} class="small-dialog send-to" onClose={close}>
      <div class="form">
        <Combobox
          label={say('sendWhom')}
          value={text}
          onValue={setText}
          options={options.slice(0, 12)}
          onPick={({ id, text: shown }) => to(id, shown)}
          onEnter={() => wanted !== '' && to(text.trim(), text.trim())}
        />
        <ul class="tight">
          {colleagues.slice(0, 12).map((one) => (
            <li key={one.number}>
              <button type="button" class="btn quiet wide" onClick={() => to(one.id, foreign(one.name))}>
                <span class={`lamp ${lampOf(one, desk.calls).lamp}`} aria-hidden="true" />
                <span class="num faint">{one.number}</span>
                <bdi class="grow">{foreign(one.name)}</bdi>
                <span class="small muted">{one.detail}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}
