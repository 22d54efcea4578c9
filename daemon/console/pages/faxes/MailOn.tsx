/** Sends a received fax on by mail, as its PDF. */
import { useSignal } from '@preact/signals'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { Fault, send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { timeText } from '../../pieces/time.ts'
import type { ReceivedFax } from './data.ts'
import { say } from './words.ts'

/** In pieces: the arguments of a call are no place for millions of bytes. */
async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text)
}

export function MailOn({ fax, close }: { readonly fax: ReceivedFax; readonly close: () => void }) {
  const to = useSignal('')
  const state = useSubmit()
  const mail = async (): Promise<void> => {
    const pdf = await fetch(fax.mediaUrl, { credentials: 'same-origin', cache: 'no-store' }).catch(() => undefined)
    if (pdf === undefined || !pdf.ok) throw new Fault(pdf?.status ?? 0, {})
    const attachment = { filename: `fax-${fax.id}.pdf`, base64: await base64(await pdf.blob()) }
    await send('POST', '/api/email', {
      to: to.value.trim(),
      subject: say('mailSubject', { time: timeText(fax.receivedAt) }),
      text: say('mailText', { n: fax.pages }),
      attachment,
    })
    done(say('mailed', { to: to.value.trim() }))
    close()
  }
  return (
    <Dialog title={say('mailOn')} onClose={close} class="small-dialog">
      <Form state={state} button={say('mailButton')} onSubmit={mail}>
        <Field label={say('mailTo')} hint={say('mailHint')} value={to.value} onValue={(value) => (to.value = value)} autocomplete="off" />
      </Form>
    </Dialog>
  )
}
