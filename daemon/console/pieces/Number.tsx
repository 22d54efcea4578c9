/** Numbers of telephones, and people. Both may come from strangers: shown as text, isolated in their direction, cut where they are long. */
import { site } from '../frame/site.ts'
import { say } from './words.ts'

const sharesPlus1 = ['US', 'CA', 'PR', 'JM', 'BS', 'BB', 'TT', 'DO']
const longest = 200

/** As the country of the site writes it, as far as that can be said without a plan of its numbers. `number`: E.164, or an extension. */
export function numberText(number: string): string {
  const american = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(number)
  if (american !== null) return `${sharesPlus1.includes(site.country) ? '' : '+1 '}${american.slice(1).join(' ')}`
  const foreign = /^\+(\d{1,3})(\d+)$/.exec(number)
  return foreign === null ? number : `+${foreign[1]} ${(foreign[2]!.match(/\d{1,3}(?=(?:\d{3})*$)/g) ?? []).join(' ')}`
}

/** A number, copied as E.164; null or '' where it is withheld. */
export function PhoneNumber({ number, class: kind = '' }: { readonly number: string | null; readonly class?: string }) {
  if (number === null || number === '') return <span class={kind}>{say('withheld')}</span>
  const copied = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', number)
    event.preventDefault()
  }
  return (
    <bdi class={`num nowrap ${kind}`} onCopy={copied}>
      {numberText(number)}
    </bdi>
  )
}

/** A text of somebody outside: controls are shown as marks, and it is cut after so many letters. */
export function foreign(text: string, most = longest): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text
  return cut.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '\ufffd')
}

export function Foreign({ text, class: kind = '' }: { readonly text: string; readonly class?: string }) {
  return (
    <bdi class={kind} title={text.length > longest ? foreign(text) : undefined}>
      {foreign(text)}
    </bdi>
  )
}

/** The name, and the number next to it; the number alone where nobody has named it. */
export function Person({ name, number }: { readonly name: string | null; readonly number: string | null }) {
  if (name === null || name === '') return <PhoneNumber number={number} class="who" />
  return (
    <>
      <Foreign text={name} class="who" /> {number === null ? null : <PhoneNumber number={number} class="faint" />}
    </>
  )
}
